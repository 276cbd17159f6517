/** A straight line through measured peaks, and up to where it may be believed. */
import { t } from "../words/t.ts";

export interface Measurement {
  readonly x: number;
  /** Bytes. */
  readonly y: number;
  /** By which repeats differed, where there were any. */
  readonly spread?: number;
}

export interface StraightLine {
  /** Bytes for each unit of x. */
  readonly slope: number;
  /** At x = 0. */
  readonly fixed: number;
  /** The most that a measurement lies away from the line. */
  readonly misfit: number;
}

export type Fit =
  | { readonly kind: "line"; readonly line: StraightLine }
  | { readonly kind: "none"; readonly reason: string };

/** Two points lie on a line whatever they measure. */
const LEAST_POINTS = 3;
/** Of the growth over the measured values: what lies further off is a curve, or is made of steps. */
const STRAIGHT = 0.03;
/** Growth below this is what any two runs differ by. Bytes. */
const LEAST_GROWTH = 2 * 1024 * 1024;

/** Least squares over the measurements. */
export function fitLine(measurements: readonly Measurement[]): Fit {
  if (new Set(measurements.map(({ x }) => x)).size < LEAST_POINTS) {
    return none(t("Fewer than {0} values ran to their end, which is too few for a line.", LEAST_POINTS));
  }
  const line = leastSquares(measurements);
  const spread = Math.max(...measurements.map((one) => one.spread ?? 0));
  const growth = line.slope * extent(measurements);
  if (growth <= Math.max(LEAST_GROWTH, 2 * spread)) {
    return none(t("The peak does not grow with it by more than runs differ anyway."));
  }
  const off = Math.max(STRAIGHT * growth, spread);
  if (line.misfit > off) {
    return none(t("The peaks do not lie on a straight line, so they do not show what larger values take."));
  }
  if (line.fixed < -off) {
    return none(
      t("A straight line through the peaks is below 0 at 0: they grow faster than a line, or others moved them."),
    );
  }
  return { kind: "line", line };
}

/**
 * The largest x whose peak is within `bytes` even if the line is off by its misfit at both ends of what was measured,
 * and beyond them by more the further away it is.
 */
export function largestWithin(
  { slope, fixed, misfit }: StraightLine,
  measurements: readonly Measurement[],
  bytes: number,
): number {
  const most = Math.max(...measurements.map(({ x }) => x));
  const spread = Math.max(...measurements.map((one) => one.spread ?? 0));
  const off = Math.max(misfit, spread / 2);
  const room = bytes - fixed - off;
  const perUnit = (2 * off) / extent(measurements);
  return Math.min(room / slope, (room + perUnit * most) / (slope + perUnit));
}

function leastSquares(measurements: readonly Measurement[]): StraightLine {
  const mean = (of: (one: Measurement) => number) =>
    measurements.reduce((sum, one) => sum + of(one), 0) / measurements.length;
  const [x, y] = [mean((one) => one.x), mean((one) => one.y)];
  const slope = mean((one) => (one.x - x) * (one.y - y)) / mean((one) => (one.x - x) ** 2);
  const fixed = y - slope * x;
  return { slope, fixed, misfit: Math.max(...measurements.map((one) => Math.abs(one.y - fixed - slope * one.x))) };
}

function extent(measurements: readonly Measurement[]): number {
  const xs = measurements.map(({ x }) => x);
  return Math.max(...xs) - Math.min(...xs);
}

const none = (reason: string): Fit => ({ kind: "none", reason });
