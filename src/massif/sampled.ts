/** How certain figures are that come of samples. Pure. */
import type { CallTree, FrameTree } from "./model.ts";
import { sumBelow } from "./tree/treeShape.ts";

/** Half the width within which 19 of 20 such figures lie, in bytes: two standard errors. */
export function bandOf(variance: number | undefined): number {
  return 2 * Math.sqrt(Math.max(0, variance ?? 0));
}

/** The same nodes with variances in place of bytes, which add up as bytes do; undefined where all bytes were counted. */
export function variancesOf(tree: FrameTree): FrameTree | undefined {
  const { variance: self } = tree;
  return self && { ...tree, self, total: sumBelow(tree, self) };
}

/** Of the nodes' bytes, where no more is known than the mean: at most so much. */
export function widestVariances({ bytes }: Pick<CallTree, "bytes">, mean: number): Float64Array {
  return bytes.map((known) => mean * Math.max(0, known));
}
