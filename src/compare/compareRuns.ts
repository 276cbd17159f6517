/** Compares two runs, or repeats of them. docs/compare.md says how. */
import { defined } from "../profile/defined.ts";
import { atOnce, type Steps } from "../profile/files/inTurns.ts";
import { METRIC_NAMES } from "../profile/lines/metric.ts";
import type { Metric } from "../profile/model.ts";
import { t } from "../words/t.ts";
import { compareFiles } from "./compareFiles.ts";
import { compareLedgers } from "./ledgers.ts";
import { lineMeasures, peakMeasures } from "./measures.ts";
import type { ComparedMetric, Comparison, Side } from "./model.ts";
import { BOARD_FLOOR, differenceOf, incomparable, PEAK_FLOOR, type Repeated, TIME_FLOOR } from "./noise.ts";
import { fileNotes, notesOf } from "./notes.ts";
import type { LoadedRun, LoadedSide } from "./side.ts";

/** @param wanted is compared where both sides have it, RSS otherwise; runs under massif are compared by their heap */
export function compareRuns(before: LoadedSide, after: LoadedSide, wanted: Metric): Comparison {
  return atOnce(comparison(before, after, wanted));
}

/** The same in steps, as very large runs take a while. */
export function* comparison(before: LoadedSide, after: LoadedSide, wanted: Metric): Steps<Comparison> {
  const { metric, note } = metricOf(before, after, wanted);
  const comparable = lineMeasures(before, metric) === lineMeasures(after, metric);
  const figure = (of: Figure, floor: number, uncertain?: Figure) =>
    differenceOf(sideFigures(before, of, uncertain), sideFigures(after, of, uncertain), floor);
  const peak: Figure = (run) => (metric === "heap" ? run.heap?.bytes : run.rssPeak);
  const elapsed = ({ run }: LoadedRun) => run.elapsedMs;
  const files = yield* compareFiles(before, after, { metric, comparable });
  const longest = Math.max(...[...before.runs, ...after.runs].map((run) => elapsed(run) ?? 0));
  return {
    metric,
    before: sideOf(before),
    after: sideOf(after),
    peak:
      peakMeasures(before, metric) === peakMeasures(after, metric)
        ? figure(peak, PEAK_FLOOR)
        : incomparable(sideFigures(before, peak), sideFigures(after, peak)),
    cudaPeak: figure((run) => run.cudaPeak, PEAK_FLOOR),
    boardPeak: figure(
      (run) => run.boardPeak,
      BOARD_FLOOR,
      (run) => run.othersMoved,
    ),
    baseline: figure((run) => run.baseline, BOARD_FLOOR),
    elapsedMs: figure(elapsed, Math.max(TIME_FLOOR.ms, longest * TIME_FLOOR.share)),
    ledger: compareLedgers(before, after),
    files,
    notes: [...note, ...notesOf(before, after, metric), ...fileNotes(files)],
  };
}

function metricOf(
  before: LoadedSide,
  after: LoadedSide,
  wanted: Metric,
): { readonly metric: ComparedMetric; readonly note: readonly string[] } {
  const runs = [...before.runs, ...after.runs];
  if (runs.every(({ run }) => run.engine.name === "massif")) return { metric: "heap", note: [] };
  const lacking = [before, after].filter((side) => !side.runs.some(({ metrics }) => metrics.has(wanted)));
  if (lacking.length === 0) return { metric: wanted, note: [] };
  const name = METRIC_NAMES[wanted];
  const note =
    lacking.length === 2
      ? t("Neither side has figures of {0} memory by line. These are RSS.", name)
      : lacking[0] === before
        ? t("Before has no figures of {0} memory by line. These are RSS.", name)
        : t("After has no figures of {0} memory by line. These are RSS.", name);
  return { metric: "rss", note: [note] };
}

function sideOf({ folders, title, runs }: LoadedSide): Side {
  return {
    folders,
    title,
    runs: runs.map(({ run, origin }) => ({ run, ...defined({ origin }) })),
  };
}

type Figure = (run: LoadedRun) => number | undefined;

function sideFigures({ runs }: LoadedSide, of: Figure, uncertain: Figure = () => 0): Repeated {
  const known = runs.flatMap((run) => of(run) ?? []);
  return { values: known, uncertain: Math.max(0, ...runs.map((run) => uncertain(run) ?? 0)) };
}
