/** Which part of the time is drawn. Pure. Milliseconds. */
export interface Range {
  readonly from: number;
  readonly until: number;
}

/** One step in; a step out is its inverse. */
export const STEP = 0.5;
/** Of the whole, what can be looked at by itself. */
const LEAST = 1 / 1_000;

const span = ({ from, until }: Range): number => until - from;

/**
 * What is drawn after a zoom that leaves `at` where it stands; undefined: the whole.
 * @param factor below 1 to see less of the time
 */
export function zoomed(shown: Range, whole: Range, factor: number, at: number): Range | undefined {
  const wanted = Math.max(span(shown) * factor, span(whole) * LEAST);
  if (!(wanted < span(whole))) return undefined;
  const centre = Math.min(Math.max(at, shown.from), shown.until);
  const share = span(shown) > 0 ? (centre - shown.from) / span(shown) : 0.5;
  return within({ from: centre - share * wanted, until: centre + (1 - share) * wanted }, whole);
}

/** As wide as before, moved as little as brings `time` into it. */
export function including(shown: Range, whole: Range, time: number): Range {
  if (time >= shown.from && time <= shown.until) return shown;
  const from = time < shown.from ? time : time - span(shown);
  return within({ from, until: from + span(shown) }, whole);
}

function within(range: Range, whole: Range): Range {
  const from = Math.min(Math.max(range.from, whole.from), whole.until - span(range));
  return { from, until: from + span(range) };
}
