/** The part of the graph that is seen. Across, in fractions of the root's width; down, in rows. */

export interface Viewport {
  /** 0 ≤ from < to ≤ 1. */
  readonly from: number;
  readonly to: number;
  /** Rows above the upper edge, from the root's row on; not always whole. */
  readonly top: number;
}

export const WHOLE: Viewport = { from: 0, to: 1, top: 0 };

/** Narrower than this, neighboring doubles would be seen. */
const MIN_SPAN = 1e-12;

/** `span` fractions from `from` on, moved to lie within the graph. */
function range(from: number, span: number): Pick<Viewport, "from" | "to"> {
  const width = Math.min(1, Math.max(MIN_SPAN, span));
  const start = Math.min(1 - width, Math.max(0, from));
  return { from: start, to: start + width };
}

/** Scales by `factor` (below 1 comes closer) and keeps the fraction `at` where it is on the screen. */
export function zoomAt(view: Viewport, at: number, factor: number): Viewport {
  const span = (view.to - view.from) * factor;
  return { ...range(at - (at - view.from) * factor, span), top: view.top };
}

/** Moves by fractions of the visible width, and by rows; `rows` of them exist and `visibleRows` fit. */
export function panBy(view: Viewport, across: number, down: number, rows: number, visibleRows: number): Viewport {
  const span = view.to - view.from;
  return { ...range(view.from + across * span, span), top: clampTop(view.top + down, rows, visibleRows) };
}

export function clampTop(top: number, rows: number, visibleRows: number): number {
  return Math.min(Math.max(0, rows - visibleRows), Math.max(0, top));
}

/** The view a part of the way from one to another; `t` in 0…1. */
export function between(a: Viewport, b: Viewport, t: number): Viewport {
  const at = (from: number, to: number): number => from + (to - from) * t;
  return { from: at(a.from, b.from), to: at(a.to, b.to), top: at(a.top, b.top) };
}
