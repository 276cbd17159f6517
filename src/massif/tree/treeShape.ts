/** How the nodes of a FrameTree lie: strictly in pre-order, so that everything below a node follows it directly. */
import type { FrameTree } from "../model.ts";

type Shape = Pick<FrameTree, "parent">;

/** For each node the end of its range: what is below node `n` are the nodes `n + 1` to `ends[n] - 1`. */
export function subtreeEnds({ parent }: Shape): Uint32Array {
  const ends = new Uint32Array(parent.length);
  for (let node = parent.length - 1; node >= 0; node--) {
    const end = Math.max(ends[node] ?? 0, node + 1);
    ends[node] = end;
    const above = parent[node] ?? 0;
    if (end > (ends[above] ?? 0)) ends[above] = end;
  }
  return ends;
}

/** Distance of each node from the root. */
export function depths({ parent }: Shape): Uint32Array {
  const result = new Uint32Array(parent.length);
  for (let node = 1; node < parent.length; node++) result[node] = (result[parent[node] ?? 0] ?? 0) + 1;
  return result;
}

/** The nodes right below `node`, in the tree's order. `ends` are those of `subtreeEnds`. */
export function childrenOf(ends: Uint32Array, node: number): number[] {
  const children: number[] = [];
  const end = ends[node] ?? 0;
  for (let child = node + 1; child < end; child = ends[child] ?? end) children.push(child);
  return children;
}

/** From the node right below the root to `node`; nothing for the root itself. */
export function stackOf({ parent }: Shape, node: number): number[] {
  const stack: number[] = [];
  for (let at = node; at > 0; at = parent[at] ?? 0) stack.push(at);
  return stack.reverse();
}

/** For each node the sum of `values` over the node and all below it. */
export function sumBelow({ parent }: Shape, values: Float64Array): Float64Array {
  const sums = values.slice();
  for (let node = parent.length - 1; node > 0; node--) {
    const above = parent[node] ?? 0;
    sums[above] = (sums[above] ?? 0) + (sums[node] ?? 0);
  }
  return sums;
}

/** For each node its value less those of its children: the reverse of `sumBelow`. */
export function ownParts({ parent }: Shape, totals: Float64Array): Float64Array {
  const own = totals.slice();
  for (let node = 1; node < own.length; node++) {
    const above = parent[node] ?? 0;
    own[above] = (own[above] ?? 0) - (totals[node] ?? 0);
  }
  return own;
}
