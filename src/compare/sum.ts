/** What several lines of a file took together, before and after. */
import type { ComparedLine, Comparison, Difference } from "./model.ts";
import { differenceOf, LINE_FLOORS } from "./noise.ts";

type Side = "before" | "after";
type Sides = Pick<Comparison, "metric" | Side>;

/**
 * Of repeats on both sides the noise is how far their sums lie apart, else the noises of the lines together: a sum is
 * off by no more. A line on one side only took nothing on the other.
 */
export function sumOfNets(lines: readonly ComparedLine[], { metric, before, after }: Sides): Difference {
  const floor = LINE_FLOORS[metric];
  if (lines.some(({ net }) => net.verdict === "unknown")) return differenceOf(NONE, NONE, floor);
  const old = sums(lines, "before", before.runs.length);
  const now = sums(lines, "after", after.runs.length);
  const uncertain = sum(lines.map(({ net }) => (tookNothing(net) ? 0 : net.noise.amount)));
  // A line's noise is of both its sides, so it counts on one.
  return differenceOf({ values: old, uncertain: now.length > 1 ? uncertain : 0 }, { values: now, uncertain }, floor);
}

const NONE = { values: [], uncertain: 0 };

/** One for each repeat, or of the medians where a side is one run, or not each repeat has each line. */
function sums(lines: readonly ComparedLine[], side: Side, runs: number): readonly number[] {
  const there = lines.filter(({ net }) => net[side] !== undefined);
  const repeats = there.map(({ nets }) => nets?.[side] ?? []);
  return runs > 1 && repeats.every(({ length }) => length === runs)
    ? Array.from({ length: runs }, (_, run) => sum(repeats.map((values) => values[run] ?? 0)))
    : [sum(there.map(({ net }) => net[side]?.median ?? 0))];
}

/** Most lines of most programs: with the noise of each, a function of many lines could hardly change. */
function tookNothing({ before, after }: Difference): boolean {
  return [before, after].every((side) => side === undefined || (side.median === 0 && (side.spread ?? 0) === 0));
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, amount) => all + amount, 0);
}
