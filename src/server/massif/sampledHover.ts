/** What hovering a line shows of a run with native stacks sampled beside its lines. Pure. */

import { sampledMean } from "../../massif/counted.ts";
import { ownText } from "../../massif/lines.ts";
import type { GpuProcess } from "../../profile/gpu/gpuMemory.ts";
import type { LineRow, Profile } from "../../profile/model.ts";
import { formatBytes, formatChange, withBand } from "../../profile/text/format.ts";
import { samplingNote } from "../../profile/text/samplingNote.ts";
import { t } from "../../words/t.ts";
import { type HoveredLine, hoverText, lineOf } from "../lines/hover.ts";
import { table } from "../lines/markdown.ts";
import { gpuPart } from "./gpuHover.ts";
import { type HeapFigures, lineIn, lineStacks } from "./heapFigures.ts";
import { changeRows, stackParts } from "./heapHover.ts";
import { processName } from "./runProcesses.ts";

/** What one engine knows of the line: a figure for the first line of the hover, and what stands below all others. */
interface Part {
  readonly figure: string;
  readonly details: readonly string[];
}

/** What was measured beside the lines. */
export interface NativeFigures {
  readonly stacks: HeapFigures | undefined;
  readonly gpu: readonly GpuProcess[];
}

/** Markdown: the line's figures, above them in a line what each engine says, below them the details. */
export function sampledHover(
  profile: Profile,
  folder: string,
  { stacks, gpu }: NativeFigures,
  hovered: HoveredLine,
): string | undefined {
  const measured = hoverText(profile, hovered);
  const nameOf = (pid: number) => processName(profile.run, pid);
  const parts = [heapPart(folder, stacks, hovered), gpuPart(gpu, nameOf, hovered)].filter((part) => part !== undefined);
  if (parts.length === 0) return measured;
  const row = lineOf(profile.files, hovered.path, hovered.line);
  const summary = [...measuredFigures(row, profile), ...parts.map(({ figure }) => figure)].join(" · ");
  return [summary, ...(measured === undefined ? [] : [measured]), ...parts.flatMap(({ details }) => details)].join(
    "\n\n",
  );
}

function measuredFigures(row: LineRow | undefined, { metrics }: Profile): string[] {
  const net = row?.net === undefined ? [] : [t("**RSS** {0}", formatChange(row.net))];
  const cuda = row?.cuda;
  return metrics.has("cuda") && cuda !== undefined
    ? [...net, t("**GPU by PyTorch** {0} ({1} reserved)", formatChange(cuda.net), formatChange(cuda.reservedNet))]
    : net;
}

function heapPart(folder: string, figures: HeapFigures | undefined, { path, line }: HoveredLine): Part | undefined {
  const [first] = figures === undefined ? [] : lineIn(figures, path, line);
  const mean = first && sampledMean(first.part.process.file);
  const peak = first?.part.peak;
  const atPeak = first?.atPeak;
  if (figures === undefined || first === undefined || mean === undefined) return undefined;
  if (peak === undefined || atPeak === undefined) return undefined;
  const total = withBand(formatBytes(atPeak.total), atPeak.band?.total);
  const rows = [
    [t("Live at the peak, with everything it called"), total],
    [t("Of that, not through another line of the project"), ownText(atPeak)],
    [t("All that was live at the peak"), withBand(formatBytes(peak.bytes), peak.band)],
    ...changeRows(first),
  ];
  return {
    figure: t("**heap held** {0}", total),
    details: [
      table([t("Allocated in native code, sampled"), t("this line")], rows),
      ...stackParts(first, lineStacks(figures, folder, path, line)),
      samplingNote(mean),
    ],
  };
}
