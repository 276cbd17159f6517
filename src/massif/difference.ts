/** What changed from one snapshot to another. */
import type { DifferenceTree, FrameTree, Sampled } from "./model.ts";
import { withVariance } from "./sampled.ts";
import { createTreeBuilder, type KeyedTreeBuilder, magnitudes } from "./tree/treeBuilder.ts";
import { sumBelow } from "./tree/treeShape.ts";

/** Both trees have the same direction, and both are folded or neither is. Frames of either are in the result. */
export function difference(before: FrameTree, after: FrameTree): DifferenceTree {
  const builder = createTreeBuilder(Math.max(before.frame.length, after.frame.length));
  const beforeNodes = addNodes(builder, before);
  const afterNodes = addNodes(builder, after);
  // What was below the threshold in both snapshots is counted once, as of the later one.
  const places = new Map([...placesByNode(before, beforeNodes), ...placesByNode(after, afterNodes)]);
  for (const [node, count] of places) builder.addPlaces(node, count);
  const selfBefore = moved(before.self, beforeNodes, builder.size());
  const selfAfter = moved(after.self, afterNodes, builder.size());
  const { tree, place } = builder.finish(
    selfAfter.map((bytes, node) => bytes - (selfBefore[node] ?? 0)),
    together(
      withVariance(before.sampled, (variance) => moved(variance, beforeNodes, builder.size())).sampled,
      withVariance(after.sampled, (variance) => moved(variance, afterNodes, builder.size())).sampled,
    ),
  );
  return {
    tree,
    before: sumBelow(tree, moved(selfBefore, place, place.length)),
    after: sumBelow(tree, moved(selfAfter, place, place.length)),
  };
}

/** At most: of blocks that live in both the errors are the same. */
function together(one: Sampled | undefined, other: Sampled | undefined): Sampled | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    mean: Math.max(one.mean, other.mean),
    variance: one.variance.map((variance, node) => variance + (other.variance[node] ?? 0)),
  };
}

/** Where each node of `tree` is in the builder. */
function addNodes(builder: KeyedTreeBuilder, tree: FrameTree): Uint32Array {
  const numbers = tree.frames.map(builder.frameNumber);
  const nodes = new Uint32Array(tree.frame.length);
  for (let node = 1; node < nodes.length; node++) {
    nodes[node] = builder.child(nodes[tree.parent[node] ?? 0] ?? 0, numbers[tree.frame[node] ?? 0] ?? 0);
  }
  return nodes;
}

function placesByNode(tree: FrameTree, nodes: Uint32Array): [number, number][] {
  return Array.from(nodes).flatMap((node, index) => {
    const frame = tree.frames[tree.frame[index] ?? 0];
    return frame?.kind === "below-threshold" ? [[node, frame.places]] : [];
  });
}

/** Bytes that grew or shrank at and below each node: what a difference's nodes are as wide as. */
export function changeWeights(tree: FrameTree): Float64Array {
  return magnitudes(tree.parent, tree.self);
}

function moved(values: Float64Array, places: Uint32Array, length: number): Float64Array {
  const result = new Float64Array(length);
  for (let node = 0; node < places.length; node++) result[places[node] ?? 0] = values[node] ?? 0;
  return result;
}
