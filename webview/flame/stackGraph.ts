/** What the flame graph draws: stacks merged by their frames, and how wide each is. */

import type { FrameTree } from "../../src/massif/model.ts";
import type { Layout } from "../../src/massif/tree/layout.ts";

/** Sizes of both sides, where the graph shows a change; by node. */
export interface Sides {
  readonly before: Float64Array;
  readonly after: Float64Array;
}

export interface StackGraph {
  readonly tree: FrameTree;
  readonly sides?: Sides;
  /** All of the tree, without a minimum width. */
  readonly layout: Layout;
  /** What a node's width stands for: its total, or of a change all that changed below it, whichever way. */
  readonly weights: Float64Array;
  /** First node after each node's subtree. */
  readonly ends: Uint32Array;
  /** Bytes of the whole snapshot, whatever the scope; of a change those of the later one. */
  readonly whole: number;
  /** Of the nodes' totals, where these were sampled. */
  readonly variances?: Float64Array;
}
