/** What hovering a line shows of a massif run. */

import { type NativeStack, nativeStacks } from "../../massif/lines.ts";
import { shortName } from "../../massif/tree/frameNames.ts";
import type { Profile } from "../../profile/model.ts";
import { formatBytes, formatChange, formatShare, withBand } from "../../profile/text/format.ts";
import { measuredText } from "../../protocol/massif/heapText.ts";
import type { LineStacks } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import { changedNote, type HoveredLine, runNote } from "../lines/hover.ts";
import { commandLink, escapeMarkdown, table } from "../lines/markdown.ts";
import { type HeapFigures, type LineInProcess, lineIn, lineStacks } from "./heapFigures.ts";
import { cutOffText } from "./notes.ts";

const MOST_STACKS = 4;
const MOST_NAME = 60;

/** Markdown, or undefined where the run has no figure for the line. @param folder the run's, for the link */
export function heapHoverText(
  profile: Profile,
  folder: string,
  figures: HeapFigures,
  hovered: HoveredLine,
): string | undefined {
  const found = lineIn(figures, hovered.path, hovered.line);
  const [first] = found;
  if (first === undefined) return undefined;
  const pages = first.part.peak?.pages ?? false;
  const parts = [
    table(
      [pages ? t("Pages mapped (valgrind massif)") : t("Heap (valgrind massif)"), t("this line")],
      figureRows(first),
    ),
  ];
  if (figures.processes.length > 1) parts.push(processTable(found));
  parts.push(...stackParts(first, lineStacks(figures, folder, hovered.path, hovered.line)));
  if (hovered.changedFrom !== undefined) parts.push(changedNote(hovered.changedFrom));
  const cutOff = cutOffText(first.part.peak);
  if (cutOff !== undefined) parts.push(t("At the peak {0}", cutOff));
  parts.push(runNote(profile));
  return parts.join("\n\n");
}

/** What changed from before to after a line that was measured. */
export function changeRows({ measured }: LineInProcess): string[][] {
  if (measured === undefined || measured.measured === 0) return [];
  const change = withBand(formatChange(measured.net), measured.noise);
  return [[t("Change from before to after, {0}", measuredText(measured)), change]];
}

function figureRows(line: LineInProcess): string[][] {
  const { peak } = line.part;
  const moment = peak?.substitute ? t("at the largest snapshot with stacks") : t("at the peak");
  const share = (bytes: number) =>
    peak === undefined || peak.bytes === 0 ? "" : ` (${formatShare(bytes / peak.bytes)})`;
  const rows: string[][] = [];
  if (peak !== undefined) {
    const { total, own } = line.atPeak ?? { total: 0, own: 0 };
    rows.push([t("Live {0}, with everything it called", moment), `${formatBytes(total)}${share(total)}`]);
    rows.push([t("Of that, not through another line of the project"), formatBytes(own)]);
    rows.push([t("All that was live {0}", moment), formatBytes(peak.bytes)]);
  }
  return [...rows, ...changeRows(line)];
}

function processTable(found: readonly LineInProcess[]): string {
  return table(
    [t("Process"), t("Live at its peak"), t("Of that, this line's own"), t("Change, measured")],
    found.map(({ part, atPeak, measured }) => [
      escapeMarkdown(part.name),
      part.peak === undefined ? "" : formatBytes(atPeak?.total ?? 0),
      part.peak === undefined ? "" : formatBytes(atPeak?.own ?? 0),
      measured === undefined || measured.measured === 0 ? "" : formatChange(measured.net),
    ]),
  );
}

/** The heaviest stacks below the line, and the way to all of them. */
export function stackParts({ part: { peak } }: LineInProcess, target: LineStacks | undefined): string[] {
  if (peak === undefined || target === undefined) return [];
  const rows = nativeStacks(peak.stacks, target, MOST_STACKS).map((stack) => [
    escapeMarkdown(stackText(stack)),
    formatBytes(stack.bytes),
  ]);
  return [
    table([t("Heaviest stacks below this line"), "bytes"], rows),
    commandLink(t("Show Native Stacks of This Line"), "showNativeStacks", target),
  ];
}

/** From what the line called to what allocated; long stacks without their middle. */
function stackText({ frames }: NativeStack): string {
  const names = frames.slice(1).map((frame) => {
    const name = shortName(frame);
    return name.length <= MOST_NAME ? name : `${name.slice(0, MOST_NAME - 1)}…`;
  });
  if (names.length === 0) return t("allocated by the interpreter itself");
  const shown = names.length <= 4 ? names : [...names.slice(0, 2), "…", ...names.slice(-2)];
  return shown.join(" → ");
}
