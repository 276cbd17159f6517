/** What the chart needs to know of the points of a timeline; no drawing. */
import { ascending, pairs } from "d3-array";
import { GROUP_ORDER } from "../../../src/board/ledger/ledger.ts";
import type { GroupTotals, LedgerGroup } from "../../../src/board/ledger/model.ts";

export interface Band {
  readonly low: number;
  readonly high: number;
}

/** Where each group lies between 0 and MemTotal, in bytes; one that is not known takes no room. */
export function bandsOf(groups: GroupTotals): Readonly<Record<LedgerGroup, Band>> {
  let low = 0;
  const bands: Partial<Record<LedgerGroup, Band>> = {};
  for (const group of GROUP_ORDER) {
    const high = low + (groups[group] ?? 0);
    bands[group] = { low, high };
    low = high;
  }
  return bands as Record<LedgerGroup, Band>;
}

/** How often the usual distance of two records a hole must be long to be one: a sampler may come a little late. */
const HOLE = 4;

/**
 * Cuts points where no records were taken for a while, so that nothing is drawn over what nobody saw. What is usual is
 * what nine of ten records keep to: they come less often the longer a run goes on.
 */
export function stretches<Point extends { readonly t: number; readonly index: number }>(
  points: readonly Point[],
  intervalMs: number,
): readonly (readonly Point[])[] {
  // Between two points of a timeline that was thinned there are records that are not shown.
  const distances = pairs(points, (before, after) => (after.t - before.t) / (after.index - before.index));
  const sorted = [...distances].sort(ascending);
  const usual = Math.max(intervalMs, sorted[Math.floor(0.9 * (sorted.length - 1))] ?? 0);
  const found: Point[][] = [];
  points.forEach((point, i) => {
    const distance = distances[i - 1];
    if (distance === undefined || distance > HOLE * usual) found.push([]);
    found.at(-1)?.push(point);
  });
  return found;
}

/** A watch begins with a minute of room, so that the first points do not jump about. */
const LEAST_LIVE_MS = 60_000;

/** From the first moment to the last, in ms. */
export function timeSpan(points: readonly { readonly t: number }[], live: boolean): readonly [number, number] {
  const first = points[0]?.t ?? 0;
  const last = points.at(-1)?.t ?? first;
  return [first, Math.max(last, first + (live ? LEAST_LIVE_MS : 1))];
}
