/** How certain figures are that come of samples. Pure. */
import { bandOf } from "../profile/run/nativeStacks.ts";
import type { CallTree, FrameTree, Sampled } from "./model.ts";
import { sumBelow } from "./tree/treeShape.ts";

/** The nodes of a tree with variances in place of bytes, which add up as bytes do. */
export interface Doubts extends FrameTree {
  /** Half the width within which 19 of 20 figures of that variance lie, in bytes. */
  bandOf(variance: number | undefined): number;
}

/** Undefined where all bytes were counted. */
export function doubtsOf(tree: FrameTree): Doubts | undefined {
  const { sampled } = tree;
  if (sampled === undefined) return undefined;
  const { variance: self, mean } = sampled;
  return { ...tree, self, total: sumBelow(tree, self), bandOf: (variance) => bandOf(variance ?? 0, mean) };
}

/** What a tree has of samples, put elsewhere. */
export function withVariance(
  sampled: Sampled | undefined,
  change: (variance: Float64Array) => Float64Array,
): { readonly sampled?: Sampled } {
  return sampled === undefined ? {} : { sampled: { ...sampled, variance: change(sampled.variance) } };
}

/** Of the nodes' bytes, where no more is known than the mean: at most so much. */
export function widestVariances({ bytes }: Pick<CallTree, "bytes">, mean: number): Float64Array {
  return bytes.map((known) => mean * Math.max(0, known));
}
