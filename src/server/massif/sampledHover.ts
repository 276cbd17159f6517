/** What hovering a line shows of a run with native stacks sampled beside its lines. Pure. */

import { sampledMean } from "../../massif/counted.ts";
import { ownText } from "../../massif/lines.ts";
import type { GpuProcess } from "../../profile/gpu/gpuMemory.ts";
import type { LineRow, Profile } from "../../profile/model.ts";
import { processName } from "../../profile/run/processName.ts";
import { formatBytes, formatChange, withBand } from "../../profile/text/format.ts";
import { samplingNote } from "../../profile/text/samplingNote.ts";
import { sentences, t } from "../../words/t.ts";
import { type HoveredLine, hoverText, lineOf } from "../lines/hover.ts";
import { GAP } from "../lines/lineFigures.ts";
import { table } from "../lines/markdown.ts";
import { gpuPart, ofProcesses } from "./gpuHover.ts";
import { type HeapFigures, lineIn, lineStacks } from "./heapFigures.ts";
import { changeRows, stackParts } from "./heapHover.ts";

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
  const [heap, past] = [heapPart(folder, stacks, hovered), gpuPart(gpu, nameOf, hovered)];
  if (heap === undefined && past === undefined) return measured;
  const row = lineOf(profile.files, hovered.path, hovered.line);
  const figures = [
    row?.net === undefined ? undefined : t("**RSS** {0}", formatChange(row.net)),
    heap?.figure,
    byPytorch(row, profile),
    past?.figure,
  ];
  const summary = figures.filter((figure) => figure !== undefined).join(" · ");
  return [
    summary,
    ...(measured === undefined ? [] : [measured]),
    ...(heap?.details ?? []),
    ...(past?.details ?? []),
  ].join("\n\n");
}

function byPytorch(row: LineRow | undefined, { metrics }: Profile): string | undefined {
  const cuda = metrics.has("cuda") ? row?.cuda : undefined;
  return cuda && t("**GPU by PyTorch** {0} ({1} reserved)", formatChange(cuda.net), formatChange(cuda.reservedNet));
}

function heapPart(folder: string, figures: HeapFigures | undefined, { path, line }: HoveredLine): Part | undefined {
  const found = figures === undefined ? [] : lineIn(figures, path, line);
  const [first] = found;
  const mean = first && sampledMean(first.part.process.file);
  const peak = first?.part.peak;
  if (figures === undefined || first === undefined || mean === undefined || peak === undefined) return undefined;
  const { atPeak } = first;
  // One that was marked may hold nothing at the peak.
  const total =
    atPeak === undefined ? t("not met by a sample") : withBand(formatBytes(atPeak.total), atPeak.band?.total);
  const rows = [
    [t("Live at the peak, with everything it called"), total],
    // Words, unlike figures, would read on from those before them.
    ...(atPeak === undefined ? [] : [[t("Of that, not through another line of the project"), GAP + ownText(atPeak)]]),
    [t("All that was live at the peak"), withBand(formatBytes(peak.bytes), peak.band)],
    ...changeRows(first),
  ];
  return {
    figure: t("**heap held** {0}", total),
    details: [
      table([t("Allocated in native code, sampled"), t("this line")], rows),
      ...stackParts(first, lineStacks(figures, folder, path, line)),
      sentences(samplingNote(mean), ofProcesses(found.length, first.part.name)),
    ],
  };
}
