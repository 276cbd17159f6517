/** Finding rectangles by row without going through all of them: 10^6 frames are drawn many times a second. */
import type { Layout } from "../../src/massif/tree/layout.ts";

export const rowCount = ({ rows }: Layout): number => rows.length - 1;

/** First rectangle of [from, end) of one row that ends right of `x`; `end` when none does. */
function firstEndingAfter({ x1 }: Layout, from: number, end: number, x: number): number {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((x1[middle] ?? 0) > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface RowVisitor {
  /** A rectangle that is wide enough to be seen. */
  rectangle(index: number): void;
  /** Neighbors, each too narrow to be seen, that together reach from x0 to x1. */
  crumbs(x0: number, x1: number): void;
}

/**
 * Goes through what is seen of a row between the fractions `from` and `to`. Rectangles narrower than `least` are passed
 * over within each `pixel`, by binary search, so that the work depends on the pixels and not on the frames.
 */
export function visitRow(
  layout: Layout,
  row: number,
  view: { readonly from: number; readonly to: number },
  size: { readonly least: number; readonly pixel: number },
  visitor: RowVisitor,
): void {
  const { x0, x1, rows } = layout;
  const end = rows[row + 1] ?? 0;
  /** Crumbs that were not told yet. */
  let crumbs: { readonly from: number; readonly to: number } | undefined;
  const tell = (): void => {
    if (crumbs) visitor.crumbs(crumbs.from, crumbs.to);
    crumbs = undefined;
  };
  for (let at = firstEndingAfter(layout, rows[row] ?? 0, end, view.from); at < end; ) {
    const left = x0[at] ?? 0;
    if (left >= view.to) break;
    if ((x1[at] ?? 0) - left >= size.least) {
      tell();
      visitor.rectangle(at);
      at++;
      continue;
    }
    const next = Math.max(at + 1, firstEndingAfter(layout, at, end, left + size.pixel));
    if (crumbs && left - crumbs.to > size.least) tell();
    crumbs = { from: crumbs?.from ?? left, to: x1[next - 1] ?? 0 };
    at = next;
  }
  tell();
}

/** The rectangle at a fraction of a row; undefined where there is none. */
export function rectangleAt(layout: Layout, row: number, x: number): number | undefined {
  if (row < 0 || row >= rowCount(layout)) return undefined;
  const end = layout.rows[row + 1] ?? 0;
  const at = firstEndingAfter(layout, layout.rows[row] ?? 0, end, x);
  return at < end && (layout.x0[at] ?? 0) <= x ? at : undefined;
}

/** The rectangle of each node. */
export function rectanglesByNode(layout: Layout, nodes: number): Int32Array {
  const found = new Int32Array(nodes).fill(-1);
  for (let rectangle = 0; rectangle < layout.node.length; rectangle++) found[layout.node[rectangle] ?? 0] = rectangle;
  return found;
}
