/** A device's memory over time: what is held at each moment, and the largest allocations as layers of it. Bytes. */
import type { Allocations } from "./allocations.ts";

export interface Range {
  readonly from: number;
  /** The range's last moment. */
  readonly to: number;
}

/** @returns what is held at each moment, 0 to `events` */
export function heldOver({ events, size, start, end }: Allocations): Float64Array {
  const held = new Float64Array(events + 2);
  for (let at = 0; at < size.length; at++) addFrom(held, start[at] ?? 0, end[at] ?? 0, size[at] ?? 0);
  return summedUp(held).subarray(0, events + 1);
}

/** The most that is held, and the first moment at which it is. */
export function maximumOf(held: Float64Array): { readonly moment: number; readonly bytes: number } {
  let moment = 0;
  for (let at = 1; at < held.length; at++) if ((held[at] ?? 0) > (held[moment] ?? 0)) moment = at;
  return { moment, bytes: held[moment] ?? 0 };
}

/** Places of the `count` largest allocations that are live in the range, ascending; and how many others there are. */
export function largestIn(
  allocations: Allocations,
  range: Range,
  count: number,
): { readonly layers: Uint32Array; readonly others: number } {
  const { size } = allocations;
  const live = liveIn(allocations, range);
  if (live.length <= count) return { layers: live, others: 0 };
  const sizes = Float64Array.from(live, (place) => size[place] ?? 0).sort();
  const least = count === 0 ? Number.POSITIVE_INFINITY : (sizes[sizes.length - count] ?? 0);
  const larger = live.reduce((sum, place) => sum + Number((size[place] ?? 0) > least), 0);
  let equal = count - larger;
  const layers = live.filter((place) => {
    const bytes = size[place] ?? 0;
    return bytes > least || (bytes === least && equal-- > 0);
  });
  return { layers, others: live.length - layers.length };
}

function liveIn({ start, end }: Allocations, { from, to }: Range): Uint32Array {
  const live: number[] = [];
  for (let place = 0; place < start.length; place++) {
    if ((start[place] ?? 0) <= to && (end[place] ?? 0) > from) live.push(place);
  }
  return Uint32Array.from(live);
}

/** @returns for each moment of the range what the layers hold */
export function heldBy({ size, start, end }: Allocations, layers: Uint32Array, { from, to }: Range): Float64Array {
  const held = new Float64Array(to - from + 2);
  for (const place of layers) {
    const first = Math.max(start[place] ?? 0, from) - from;
    addFrom(held, first, Math.max(end[place] ?? 0, from) - from, size[place] ?? 0);
  }
  return summedUp(held).subarray(0, to - from + 1);
}

function addFrom(changes: Float64Array, from: number, to: number, bytes: number): void {
  if (from < changes.length) changes[from] = (changes[from] ?? 0) + bytes;
  if (to < changes.length) changes[to] = (changes[to] ?? 0) - bytes;
}

function summedUp(changes: Float64Array): Float64Array {
  for (let at = 1; at < changes.length; at++) changes[at] = (changes[at] ?? 0) + (changes[at - 1] ?? 0);
  return changes;
}

/** At most `points` moments to draw, ascending: the ends of the range, and the extremes of equal parts of it. */
export function thinned(held: Float64Array, { from, to }: Range, points: number): Uint32Array {
  if (to - from < points) return Uint32Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const parts = Math.max(1, Math.floor((points - 2) / 2));
  const chosen = new Set([from, to]);
  for (let part = 0; part < parts && points > 3; part++) {
    const first = from + Math.floor(((to - from + 1) * part) / parts);
    const next = from + Math.floor(((to - from + 1) * (part + 1)) / parts);
    let [low, high] = [first, first];
    for (let at = first; at < next; at++) {
      if ((held[at] ?? 0) < (held[low] ?? 0)) low = at;
      if ((held[at] ?? 0) > (held[high] ?? 0)) high = at;
    }
    chosen.add(low).add(high);
  }
  return Uint32Array.from(chosen).sort();
}
