/** What is said of a sweep, in the terminal and on the page. */

import type { Measured } from "../compare/model.ts";
import { formatBytes, formatCount, formatDuration, orUnknown, UNKNOWN } from "../profile/text/format.ts";
import { type Phrase, phrase, say, t } from "../words/t.ts";
import { carefulEstimate, type Fitting } from "./limits.ts";
import {
  type Estimate,
  FIGURES,
  type Figure,
  type Limit,
  type PeakLine,
  type Sweep,
  type SweepPoint,
} from "./model.ts";
import { valuesText } from "./values.ts";

export const FIGURE_NAMES: Readonly<Record<Figure, Phrase>> = {
  rss: phrase("RSS peak"),
  board: phrase("Board's memory"),
  cuda: phrase("CUDA reserved"),
};

export const FIGURE_MEANINGS: Readonly<Record<Figure, Phrase>> = {
  rss: phrase("Highest RSS of the main process. On a Jetson CUDA memory is not in it."),
  board: phrase(
    "The most that the board's memory in use (MemTotal − MemAvailable) was seen to grow above what it was right before the run, whoever took it.",
  ),
  cuda: phrase("The highest that PyTorch was seen to reserve from CUDA, at least. CUDA's context is not in it."),
};

export const AVAILABLE_MEANING = phrase(
  "Available before: what the board had left right before the run (MemAvailable), swap not counted.",
);

export const STATE_WORDS: Readonly<Record<SweepPoint["state"], Phrase>> = {
  fits: phrase("fits"),
  "out-of-memory": phrase("out of memory"),
  failed: phrase("failed"),
  skipped: phrase("skipped"),
  missing: phrase("not run"),
  running: phrase("running"),
};

/** Those that any point has. */
export function measuredFigures({ points }: Pick<Sweep, "points">): Figure[] {
  return FIGURES.filter((figure) => points.some(({ peaks }) => peaks[figure] !== undefined));
}

/** How many runs are still to be made. */
export function missingRuns({ points }: Pick<Sweep, "points">): number {
  return points.reduce((count, { left }) => count + left, 0);
}

/** Points have several runs, or will. */
export function isRepeated({ repeat, points }: Pick<Sweep, "repeat" | "points">): boolean {
  return repeat > 1 || points.some(({ folders }) => folders.length > 1);
}

/** The figure to look at first: of the scarcest memory, else the GPU's where it was used. */
export function firstFigure(sweep: Sweep): Figure {
  const estimates = sweep.limits.flatMap((limit) => carefulEstimate(limit) ?? []);
  const figures = measuredFigures(sweep);
  return estimates[0]?.figure ?? (figures.includes("cuda") ? "cuda" : "rss");
}

/** `480.0 MiB`, `≥ 480.0 MiB` where the run was ended before it could take more, or its recording broke off. */
export function peakText({ state, peaks, exits }: SweepPoint, figure: Figure): string {
  const peak = peaks[figure];
  if (peak === undefined) return UNKNOWN;
  const isLeast = state === "out-of-memory" || state === "running" || exits.some(({ kind }) => kind === "lost");
  return `${isLeast ? "≥ " : ""}${formatBytes(peak.median)}`;
}

/** `± ` would claim more than is known: it is the distance of the outermost repeats. */
export function spreadText(measured: Measured | undefined): string {
  return orUnknown(measured?.spread, formatBytes);
}

/** Why the point has the state it has; empty where that says all. */
export function stateDetail({ state, reason, exits }: SweepPoint): string {
  switch (state) {
    case "out-of-memory":
      return reason ?? "";
    case "failed":
      return exits.map(exitText).find((text) => text !== undefined) ?? "";
    case "skipped":
      return t("a smaller value ran out of memory");
    default:
      return "";
  }
}

function exitText(exit: SweepPoint["exits"][number]): string | undefined {
  switch (exit.kind) {
    case "exited":
      return exit.code === 0 ? undefined : t("exit status {0}, which does not mean that memory ran out", exit.code);
    case "signalled":
      return t("ended by {0}", exit.signal);
    case "lost":
      return t("the recording broke off");
    default:
      return undefined;
  }
}

/** One line when a point has ended. */
export function pointLine(point: SweepPoint): string {
  const figures = measuredFigures({ points: [point] }).map(
    (figure) => `${say(FIGURE_NAMES[figure])} ${peakText(point, figure)}`,
  );
  const time = point.elapsedMs === undefined ? [] : [formatDuration(point.elapsedMs.median)];
  const detail = stateDetail(point);
  const state = say(STATE_WORDS[point.state]) + (detail === "" ? "" : ` (${detail})`);
  return [valuesText(point.values), [state, ...figures, ...time].join(" · ")].filter(Boolean).join(": ");
}

/** What fits, as sentences: first what was seen, then what a line says. */
export function limitText(limit: Limit): string[] {
  const others = valuesText(limit.others);
  const where = others === "" ? "" : t(" with {0}", others);
  return [`${limit.parameter}${where}: ${seenText(limit)}`, ...estimateText(limit)];
}

function seenText({ largestRun, smallestFailed }: Limit): string {
  if (largestRun === undefined) return t("not even {0} fits, it ran out of memory.", number(smallestFailed ?? 0));
  if (smallestFailed === undefined)
    return t("{0} is the largest that ran to its end, and none ran out of memory.", number(largestRun));
  return t("{0} is the largest that ran, {1} ran out of memory.", number(largestRun), number(smallestFailed));
}

function estimateText(limit: Limit): string[] {
  const best = carefulEstimate(limit);
  if (best !== undefined) {
    return [
      t(
        "Estimate: up to {0} fits, by {1}. {2}{3}",
        number(best.largest),
        say(FIGURE_NAMES[best.figure]),
        lineText(best.line, limit),
        beyondText(best, limit),
      ),
    ];
  }
  return limit.estimates.map((one) =>
    t("No estimate by {0}: {1}", say(FIGURE_NAMES[one.figure]), reasonText(one, limit)),
  );
}

/** Of an estimate that names no largest value. */
function reasonText(estimate: Estimate, limit: Limit): string {
  if (estimate.kind === "fits-up-to") return "";
  return estimate.kind === "no-line" ? estimate.reason : `${lineText(estimate.line, limit)} ${estimate.reason}`;
}

function lineText({ points, fixed, bytesEach, misfit }: PeakLine, { parameter }: Limit): string {
  return t(
    "{0} peaks lie on a straight line, {1} and {2} more for each 1 of {3}, off by at most {4}.",
    points,
    formatBytes(fixed),
    formatBytes(bytesEach),
    parameter,
    formatBytes(misfit),
  );
}

function beyondText({ largest }: Fitting, { largestRun }: Limit): string {
  return largestRun !== undefined && largest > largestRun
    ? t(" That is {0} times the largest that ran, so run it to be sure.", (largest / largestRun).toFixed(1))
    : "";
}

export function number(value: number): string {
  return Number.isInteger(value) && Math.abs(value) >= 10_000 ? formatCount(value) : String(value);
}
