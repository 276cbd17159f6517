/** Figures of repeats, what their differences must be larger than, and the verdict. docs/compare.md has the reasons. */
import { present } from "../profile/files/jsonRecords.ts";
import type { ComparedMetric, Difference, Measured, Noise } from "./model.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** One figure of one side: a value for each run that has it, and how far a single run's may be off by itself. */
export interface Repeated {
  readonly values: readonly number[];
  /** Largest of the runs; in the unit of the values. */
  readonly uncertain: number;
}

/** What no single figure by line can tell apart, bytes. */
export const LINE_FLOORS: Readonly<Record<ComparedMetric, number>> = {
  // Equal runs of plain Python differ by up to some 120 KiB; before Linux 6.2 another thread's last 64 pages are missing.
  rss: 256 * KIB,
  // PyTorch's allocator counts blocks of 512 bytes, and counts them exactly.
  cuda: 512,
  // The kernel counts the board's pages for each core and adds them up late: half a MiB on four cores.
  system: MIB,
  // Massif counts each block; what malloc adds is not in it.
  heap: 4 * KIB,
};

/** Of a process's highest RSS: equal runs that only import PyTorch differ by 0.4 MiB. */
export const PEAK_FLOOR = MIB;
/** Of counts of the whole board. */
export const BOARD_FLOOR = LINE_FLOORS.system;
/** Of a run's time: a share of it, and milliseconds. */
export const TIME_FLOOR = { share: 0.1, ms: 100 };

/** @returns undefined where no run has the figure */
export function measured(values: readonly number[]): Measured | undefined {
  const [only] = values;
  if (only === undefined) return undefined;
  if (values.length === 1) return { median: only, runs: 1 };
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[(sorted.length - 1) >> 1] ?? 0;
  const high = sorted[sorted.length >> 1] ?? 0;
  const spread = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  return { median: low + (high - low) / 2, spread, runs: values.length };
}

/**
 * Two sides of one figure that measure the same thing.
 * @param floor what no figure of the kind can tell apart, in its unit
 */
export function differenceOf(before: Repeated, after: Repeated, floor: number): Difference {
  const sides = { before: measured(before.values), after: measured(after.values) };
  const noise = noiseOf([before, after], floor);
  if (sides.before === undefined || sides.after === undefined)
    return present({ verdict: "unknown" as const, ...sides, noise });
  const change = sides.after.median - sides.before.median;
  const verdict = Math.abs(change) <= noise.amount ? "same" : change > 0 ? "more" : "less";
  return { verdict, before: sides.before, after: sides.after, change, noise };
}

/** A figure of something that the other side does not have. */
export function onlyOn(side: "before" | "after", figure: Repeated, floor: number): Difference {
  const known = measured(figure.values);
  const noise = noiseOf([figure], floor);
  if (known === undefined) return { verdict: "unknown", noise };
  return { verdict: `only-${side}`, [side]: known, noise };
}

/** The figures of both sides where they measure different things: nothing is said of their change. */
export function incomparable(before: Repeated, after: Repeated): Difference {
  const noise = { amount: 0, known: false };
  const sides = { before: measured(before.values), after: measured(after.values) };
  return present({ verdict: "unknown" as const, ...sides, noise });
}

/**
 * What repeats show of the spread is taken as it is; where a side has one run, what its own figures leave uncertain,
 * of both such sides together.
 */
function noiseOf(figures: readonly Repeated[], floor: number): Noise {
  let spread = 0;
  let uncertain = 0;
  let known = true;
  for (const figure of figures) {
    if (figure.values.length > 1) spread = Math.max(spread, measured(figure.values)?.spread ?? 0);
    else {
      known = false;
      uncertain += figure.uncertain;
    }
  }
  return { amount: Math.max(spread, uncertain, floor), known };
}

/**
 * By how much a figure changed; what is on one side only took nothing on the other. Undefined where it did not change,
 * or by no more than the noise, or where that is not known.
 */
export function changeOf({ verdict, before, after, change, noise }: Difference): number | undefined {
  switch (verdict) {
    case "more":
    case "less":
      return change;
    case "only-before":
      return larger(-(before?.median ?? 0), noise);
    case "only-after":
      return larger(after?.median ?? 0, noise);
    case "same":
    case "unknown":
      return undefined;
  }
}

function larger(amount: number, noise: Noise): number | undefined {
  return Math.abs(amount) > noise.amount ? amount : undefined;
}
