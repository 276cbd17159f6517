/** What the chart needs to know of the points of a timeline; no drawing. */
import { ascending, pairs, range } from "d3-array";
import { GROUP_ORDER } from "../../src/board/ledger/ledger.ts";
import type { GroupTotals, LedgerGroup } from "../../src/board/ledger/model.ts";

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

/** The least distance of the last round number from the end of the axis, as a share of it. */
const ROOM_BELOW_TOTAL = 0.08;

/** Round numbers of MiB from 0 up, and `total` at the top. */
export function byteTicks(total: number, count: number): readonly number[] {
  const MIB = 1024 * 1024;
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(total / MIB / count))) * MIB;
  return [...range(0, total * (1 - ROOM_BELOW_TOTAL), step), total];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const TIME_STEPS = [
  ...[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((count) => count * HOUR),
];

/** At most about `count` times that people count by, in ms. */
export function timeTicks([first, last]: readonly [number, number], count: number): readonly number[] {
  const least = (last - first) / Math.max(1, count);
  const step = TIME_STEPS.find((each) => each >= least) ?? Math.ceil(least / (24 * HOUR)) * 24 * HOUR;
  return range(Math.ceil(first / step) * step, last + 1, step);
}
