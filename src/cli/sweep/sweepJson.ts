/** A sweep as JSON; docs/sweep.md has the keys. Sizes are bytes; what is not known is left out. */
import type { Measured } from "../../compare/model.ts";
import { carefulEstimate } from "../../sweep/limits.ts";
import { type Estimate, FIGURES, type Limit, type Sweep, type SweepPoint } from "../../sweep/model.ts";

export function sweepJson(sweep: Sweep): object {
  const { id, title, target, board, simulated, parameters, repeat, points, rooms, limits, notes } = sweep;
  return {
    schema: 1,
    sweep: { id, title, target, board, simulated, repeat },
    parameters,
    points: points.map(pointJson),
    room: byFigure((figure) => rooms[figure]),
    limits: limits.map(limitJson),
    notes,
  };
}

function pointJson({ values, state, reason, exits, folders, peaks, elapsedMs, available }: SweepPoint): object {
  return {
    values,
    state,
    reason,
    exits,
    runs: folders,
    peaks: byFigure((figure) => measuredJson(peaks[figure], "bytes")),
    elapsed: measuredJson(elapsedMs, "ms"),
    available_bytes: available,
  };
}

function measuredJson(measured: Measured | undefined, unit: string): object | undefined {
  if (measured === undefined) return undefined;
  return { [`median_${unit}`]: measured.median, [`spread_${unit}`]: measured.spread, runs: measured.runs };
}

function limitJson(limit: Limit): object {
  const best = carefulEstimate(limit);
  return {
    parameter: limit.parameter,
    others: limit.others,
    largest_run: limit.largestRun,
    smallest_out_of_memory: limit.smallestFailed,
    estimate: best === undefined ? undefined : { figure: best.figure, largest: best.largest },
    estimates: limit.estimates.map(estimateJson),
  };
}

function estimateJson(estimate: Estimate): object {
  const { figure, kind } = estimate;
  if (kind === "no-line") return { figure, kind, reason: estimate.reason };
  const { bytesEach, fixed, misfit, points } = estimate.line;
  const line = { bytes_each: bytesEach, fixed_bytes: fixed, misfit_bytes: misfit, points };
  return kind === "no-limit"
    ? { figure, kind, line, reason: estimate.reason }
    : { figure, kind, line, largest: estimate.largest };
}

function byFigure(of: (figure: (typeof FIGURES)[number]) => object | undefined): object {
  return Object.fromEntries(FIGURES.map((figure) => [figure, of(figure)]));
}
