/** Figures of rounds, and what they come to. */

export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  /** Half the range between the quartiles: as much as a round is usually off. */
  readonly spread: number;
  readonly rounds: number;
}

/** @returns undefined where there is no figure */
export function summary(figures: readonly number[]): Summary | undefined {
  const sorted = [...figures].sort((a, b) => a - b);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined) return undefined;
  return {
    median: quantile(sorted, 0.5),
    least,
    most,
    spread: (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 2,
    rounds: sorted.length,
  };
}

/** Between two figures it is as far as the share is between them. @param sorted not empty */
function quantile(sorted: readonly number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return below + (above - below) * (at - Math.floor(at));
}

/**
 * By how much `b` is above `a`: round by round where both ran as often, as a machine that slowed down slowed both of a
 * round, else from their medians.
 * @returns undefined where one has no figure
 */
export function difference(
  a: readonly number[],
  b: readonly number[],
): { readonly median: number; readonly spread: number } | undefined {
  const [of, and] = [summary(a), summary(b)];
  if (of === undefined || and === undefined) return undefined;
  if (a.length === b.length && a.length > 1)
    return summary(b.map((figure, round) => figure - (a[round] ?? Number.NaN)));
  return { median: and.median - of.median, spread: Math.hypot(of.spread, and.spread) };
}

/** A figure that is a difference (time beyond the bare script) tells something where it stands out of its own spread. */
export function isBelowNoise({ median, spread }: Pick<Summary, "median" | "spread">): boolean {
  return median <= spread;
}

/** How far from 0 a difference below the noise can be. */
export function noiseOf({ median, spread }: Pick<Summary, "median" | "spread">): number {
  return Math.max(spread, Math.abs(median));
}

export interface Growth {
  /** Figures grow with this power of the work: 1 is in step with it. */
  readonly exponent: number;
  /** What n log n would be between these two sizes. */
  readonly limit: number;
  /** `faster than n log n` only where that cannot be the noise. */
  readonly verdict: "at most n log n" | "faster than n log n";
}

/**
 * Growth of a cost between two sizes of the work. Both have to be above 0: what has no size has no growth.
 * @param sizes the smaller one first, above 1
 */
export function growth(sizes: readonly [number, number], small: Summary, large: Summary): Growth {
  const times = sizes[1] / sizes[0];
  const allowed = times * (Math.log(sizes[1]) / Math.log(sizes[0]));
  const power = (factor: number) => Math.log(factor) / Math.log(times);
  const leastFactor = Math.max(0, large.median - large.spread) / (small.median + small.spread);
  return {
    exponent: power(large.median / small.median),
    limit: power(allowed),
    verdict: leastFactor <= allowed ? "at most n log n" : "faster than n log n",
  };
}
