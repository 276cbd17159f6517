/** Where the frames of a flame graph lie. */
import type { FrameTree } from "../model.ts";
import { depths, subtreeEnds } from "./treeShape.ts";

/** Rectangles in parallel arrays, by depth and then from left to right: those of depth `d` are `rows[d]` to `rows[d + 1] - 1`. */
export interface Layout {
  readonly node: Uint32Array;
  /** Left and right edge, in parts of the width of the node that is zoomed to (0 to 1). */
  readonly x0: Float64Array;
  readonly x1: Float64Array;
  /** 0 for the root of the tree, whatever is zoomed to. */
  readonly depth: Uint32Array;
  /** One more entry than there are rows. */
  readonly rows: Uint32Array;
}

export interface LayoutOptions {
  /** What nodes are as wide as: not negative, and a node's no less than its children's together. The totals if absent. */
  readonly weights?: Float64Array;
  /** The node that has the full width, as all above it. */
  readonly root?: number;
  /** Nodes narrower than this part of the width are left out, with all below them. */
  readonly minWidth: number;
}

/** Siblings lie in the order of the tree, which is that of their size. Nothing has a width where there are no bytes. */
export function layOut(tree: FrameTree, { weights = tree.total, root = 0, minWidth }: LayoutOptions): Layout {
  const depth = depths(tree);
  const shown = shownNodes(tree, weights, root, minWidth);
  const rows = rowStarts(shown.nodes, depth);
  const count = shown.nodes.length;
  const layout = {
    node: new Uint32Array(count),
    x0: new Float64Array(count),
    x1: new Float64Array(count),
    depth: new Uint32Array(count),
    rows,
  };
  const next = rows.slice();
  for (let i = 0; i < count; i++) {
    const node = shown.nodes[i] ?? 0;
    const row = depth[node] ?? 0;
    const at = next[row] ?? 0;
    next[row] = at + 1;
    const left = shown.left[node] ?? 0;
    layout.node[at] = node;
    layout.x0[at] = left;
    layout.x1[at] = Math.min(1, left + (shown.width[node] ?? 0));
    layout.depth[at] = row;
  }
  return layout;
}

/** The nodes that are wide enough, in pre-order, with the left edge and the width of each by its number. */
function shownNodes(tree: FrameTree, weights: Float64Array, root: number, minWidth: number) {
  const count = tree.parent.length;
  const left = new Float64Array(count);
  const width = new Float64Array(count);
  /** Where the next child of a node begins. */
  const cursor = new Float64Array(count);
  const nodes = new Uint32Array(count);
  let size = 0;
  const whole = weights[root] ?? 0;
  if (whole > 0) {
    const ends = subtreeEnds(tree);
    for (let node = 0; node < root; node++) {
      if ((ends[node] ?? 0) > root) nodes[size++] = node;
    }
    width.fill(1, 0, root + 1);
    nodes[size++] = root;
    const end = ends[root] ?? 0;
    for (let node = root + 1; node < end; ) {
      const part = (weights[node] ?? 0) / whole;
      const parent = tree.parent[node] ?? 0;
      const x0 = cursor[parent] ?? 0;
      cursor[parent] = x0 + part;
      if (part === 0 || part < minWidth) {
        node = ends[node] ?? end;
        continue;
      }
      left[node] = x0;
      width[node] = part;
      cursor[node] = x0;
      nodes[size++] = node;
      node++;
    }
  }
  return { nodes: nodes.subarray(0, size), left, width };
}

/** Where each row begins when the nodes are sorted by depth. */
function rowStarts(nodes: Uint32Array, depth: Uint32Array): Uint32Array {
  let deepest = -1;
  for (let at = 0; at < nodes.length; at++) deepest = Math.max(deepest, depth[nodes[at] ?? 0] ?? 0);
  const starts = new Uint32Array(deepest + 2);
  for (let at = 0; at < nodes.length; at++) {
    const row = (depth[nodes[at] ?? 0] ?? 0) + 1;
    starts[row] = (starts[row] ?? 0) + 1;
  }
  for (let row = 1; row < starts.length; row++) starts[row] = (starts[row] ?? 0) + (starts[row - 1] ?? 0);
  return starts;
}
