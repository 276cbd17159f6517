/** The allocator's segments and what of them is in use, at a moment. */
import type { Allocations } from "./allocations.ts";
import { type MappedRange, mappedRanges } from "./mappedRanges.ts";
import type { Snapshot } from "./model.ts";
import { segmentsOf } from "./totals.ts";

export interface SegmentState {
  readonly range: MappedRange;
  /** Places in the allocations, by address; what lies between them is free. */
  readonly live: readonly number[];
  /** Bytes that they hold. */
  readonly held: number;
}

export interface AllocatorState {
  /** By address. */
  readonly segments: readonly SegmentState[];
  /** Live allocations that lie in no known segment. */
  readonly homeless: readonly number[];
}

export function stateAt(snapshot: Snapshot, allocations: Allocations, moment: number): AllocatorState {
  const { address } = allocations;
  const events = snapshot.events.find(({ device }) => device === allocations.device);
  const ranges = mappedRanges(segmentsOf(snapshot, allocations.device), events, moment);
  const live = liveAt(allocations, moment);
  live.sort((a, b) => ((address[a] ?? 0n) < (address[b] ?? 0n) ? -1 : 1));

  const homes: number[][] = ranges.map(() => []);
  const homeless: number[] = [];
  let at = 0;
  for (const place of live) {
    const start = address[place] ?? 0n;
    while (at < ranges.length && (ranges[at]?.end ?? 0n) <= start) at++;
    const isInside = start >= (ranges[at]?.start ?? start + 1n);
    (isInside ? homes[at] : homeless)?.push(place);
  }
  return {
    segments: ranges.map((range, index) => {
      const places = homes[index] ?? [];
      return { range, live: places, held: bytesOf(allocations, places) };
    }),
    homeless,
  };
}

/** Places of the allocations that are live at the moment. */
export function liveAt({ start, end }: Allocations, moment: number): number[] {
  const live: number[] = [];
  for (let place = 0; place < start.length && (start[place] ?? 0) <= moment; place++) {
    if ((end[place] ?? 0) > moment) live.push(place);
  }
  return live;
}

export function bytesOf({ size }: Allocations, places: readonly number[]): number {
  return places.reduce((sum, place) => sum + (size[place] ?? 0), 0);
}
