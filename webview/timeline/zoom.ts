/** Which part of the time is drawn. Pure. */
import type { TimeRange } from "../../src/profile/samples/samples.ts";

/** One step in; a step out is its inverse. */
export const STEP = 0.5;
/** Of the whole, what can be looked at by itself. */
const LEAST = 1 / 1_000;

const span = ({ from, until }: TimeRange): number => until - from;

/**
 * What is drawn after a zoom that leaves `at` where it stands; undefined: the whole.
 * @param factor below 1 to see less of the time
 */
export function zoomed(shown: TimeRange, whole: TimeRange, factor: number, at: number): TimeRange | undefined {
  const wanted = Math.max(span(shown) * factor, span(whole) * LEAST);
  if (!(wanted < span(whole))) return undefined;
  const centre = Math.min(Math.max(at, shown.from), shown.until);
  const share = span(shown) > 0 ? (centre - shown.from) / span(shown) : 0.5;
  return within({ from: centre - share * wanted, until: centre + (1 - share) * wanted }, whole);
}

/** As wide as before, moved as little as brings `time` into it. */
export function including(shown: TimeRange, whole: TimeRange, time: number): TimeRange {
  if (time >= shown.from && time <= shown.until) return shown;
  const from = time < shown.from ? time : time - span(shown);
  return within({ from, until: from + span(shown) }, whole);
}

function within(range: TimeRange, whole: TimeRange): TimeRange {
  const from = Math.min(Math.max(range.from, whole.from), whole.until - span(range));
  return { from, until: from + span(range) };
}
