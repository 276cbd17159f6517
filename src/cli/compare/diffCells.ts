/** The cells of tables of differences, for a terminal and for Markdown. */

import type { LineChanged, LineChanges } from "../../compare/changes.ts";
import { COMPARED_NAMES, changeText } from "../../compare/label.ts";
import type { Comparison, Difference, Measured, Side } from "../../compare/model.ts";
import { formatBytes, formatChange, formatDuration, orUnknown, UNKNOWN } from "../../profile/text/format.ts";
import { measuredElsewhere, timelineMeasure } from "../../profile/text/measuredElsewhere.ts";
import { t } from "../../words/t.ts";

/** How figures of one kind are written. */
export interface Unit {
  size(amount: number): string;
  change(amount: number): string;
}

const BYTES: Unit = { size: formatBytes, change: formatChange };
const TIME: Unit = {
  size: formatDuration,
  change: (ms) => `${ms < 0 ? "-" : "+"}${formatDuration(Math.abs(ms))}`,
};

export const figureHeadings = (): readonly string[] => [t("Before"), t("After"), t("Change"), t("Noise")];

/** Under figureHeadings. */
export function figureCells(difference: Difference, unit: Unit = BYTES): string[] {
  const { before, after, noise } = difference;
  const sides = [before, after].map((side) => measuredText(side, unit));
  // Where no change can be told there is nothing that noise could hide.
  const noiseCell =
    difference.verdict === "unknown" ? UNKNOWN : `${noise.known ? "±" : "≥"} ${unit.size(noise.amount)}`;
  return [...sides, changeText(difference, unit.change), noiseCell];
}

function measuredText(measured: Measured | undefined, { size }: Unit): string {
  return orUnknown(measured?.median, size);
}

/** Runs that began in the same minute are told apart by their ids. */
export function sideTitles({ before, after }: Comparison): { readonly before: string; readonly after: string } {
  if (before.title !== after.title) return { before: before.title, after: after.title };
  const withId = ({ title, runs }: Side) => [title, ...runs.slice(0, 1).map(({ run }) => run.id)].join(" · ");
  return { before: withId(before), after: withId(after) };
}

export interface Total {
  readonly label: string;
  readonly difference: Difference;
  readonly unit: Unit;
}

/** The figures of the run as a whole that any side has. */
export function totalsOf(comparison: Comparison): Total[] {
  const { peak, cudaPeak, boardPeak, baseline, elapsedMs } = comparison;
  const totals = [
    { label: peakLabel(comparison), difference: peak, unit: BYTES },
    { label: t("Peak of what PyTorch reserved on the GPU"), difference: cudaPeak, unit: BYTES },
    { label: t("Peak growth of the board's memory in use"), difference: boardPeak, unit: BYTES },
    { label: t("Board's memory in use before the run"), difference: baseline, unit: BYTES },
    { label: t("Time"), difference: elapsedMs, unit: TIME },
  ];
  return totals.filter(({ difference: { before, after } }) => before !== undefined || after !== undefined);
}

/** Other tools' files have peaks of other things. */
function peakLabel({ metric, before, after }: Comparison): string {
  if (metric === "heap") return t("Peak of the heap");
  const measures = new Set([...before.runs, ...after.runs].map(({ run }) => timelineMeasure(run)));
  const [measure] = measures;
  if (measures.size > 1) return t("Peak");
  return t("Peak of {0}", measure ?? "RSS");
}

/** What a changed figure of a line is: `RSS net`, `heap live`; of other tools' figures a note says what they are. */
export function figureName({ metric, before, after }: Comparison, what: LineChanged["what"]): string {
  if (metric === "heap") return t("{0} live", COMPARED_NAMES.heap);
  if ([...before.runs, ...after.runs].some(({ run }) => measuredElsewhere(run) !== undefined)) return what;
  return `${COMPARED_NAMES[metric]} ${what}`;
}

/** Where a line is, later or before where it is gone. */
export function placeText({ file, line }: Pick<LineChanged, "file" | "line">): string {
  if (line.after !== undefined) return `${file.path}:${line.after}`;
  return t("{0}:{1} before", file.from ?? file.path, line.before ?? "?");
}

/** Where there is no row to show. */
export function noRowsText({ same, unknown }: Pick<LineChanges, "same" | "unknown">): string {
  return same.length === 0 && unknown.length > 0 ? t("No line could be compared.") : t("No line changed.");
}

/** What became of the line itself. */
export function markText({ line }: Pick<LineChanged, "line">): string {
  if (line.before === undefined) return t("new");
  if (line.after === undefined) return t("gone");
  const ran = line.hits === undefined ? [] : [t("ran {0} → {1} times", line.hits.before, line.hits.after)];
  return [...(line.edited ? [t("edited")] : []), ...ran].join(t(", "));
}

export const noiseLegend = (): string =>
  t(
    "Change is none where it is no larger than the noise. ±: how far repeats lie apart. ≥: one run only; its repeats may differ by more.",
  );
export const netLegend = (): string =>
  t("What a line called is counted on it too, so a change shows on its callers as well.");
