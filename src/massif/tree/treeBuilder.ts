/** Makes a FrameTree by merging stacks. */

import type { Frame, FrameTree, Sampled } from "../model.ts";
import { withVariance } from "../sampled.ts";
import { frameKey } from "./frameNames.ts";
import { createNodeTable } from "./nodeTable.ts";
import { sumBelow } from "./treeShape.ts";

export interface TreeBuilder {
  /** The node of a frame below `parent`, by the frame's number; node 0 is the root. @throws UserError `massif-tree-too-large` */
  child(parent: number, frameNumber: number): number;
  /** Adds places to a node whose frame is below the threshold. */
  addPlaces(node: number, places: number): void;
  size(): number;
  /**
   * @param self bytes of stacks that end at each node, by the numbers that `child` gave
   * @param sampled of `self`
   */
  finish(self: Float64Array, sampled?: Sampled): BuiltTree;
}

export interface BuiltTree {
  /** In strict pre-order, siblings with the most bytes first. */
  readonly tree: FrameTree;
  /** Where each of the builder's nodes is in `tree`. */
  readonly place: Uint32Array;
}

const ROOT: Frame = { kind: "all" };

/** All frames below the threshold have one number: their places add up. */
export interface KeyedTreeBuilder extends TreeBuilder {
  frameNumber(frame: Frame): number;
}

/**
 * For frames of which some may be equal.
 * @param expected nodes, to make room for at once
 */
export function createTreeBuilder(expected: number): KeyedTreeBuilder {
  const frames: Frame[] = [ROOT];
  const numbers = new Map([[frameKey(ROOT), 0]]);
  return {
    ...builderOf(frames, 0, expected),
    frameNumber(frame) {
      const key = frameKey(frame);
      let number = numbers.get(key);
      if (number === undefined) {
        number = frames.push(frame) - 1;
        numbers.set(key, number);
      }
      return number;
    },
  };
}

export interface TreeRebuilder extends TreeBuilder {
  /** The numbers of the tree's frames. */
  readonly numbers: Uint32Array;
}

/** For the stacks of one tree in another shape: its frames are distinct already. */
export function createRebuilder({ frames, frame }: FrameTree): TreeRebuilder {
  const below = frames.findIndex(({ kind }) => kind === "below-threshold");
  const numbers = Uint32Array.from(frames, ({ kind }, number) => (kind === "below-threshold" ? below : number));
  return { ...builderOf(frames, frame[0] ?? 0, frame.length), numbers };
}

/** @param frames may grow later */
function builderOf(frames: readonly Frame[], root: number, expected: number): TreeBuilder {
  const nodes = createNodeTable(root, expected);
  const placesOf = new Map<number, number>();

  /** The frames that nodes have, those below the threshold with the places counted, and the frame of each node. */
  function usedFrames(frame: Uint32Array) {
    const used: Frame[] = [];
    const numberOf = new Map<string, number>();
    const byFrame = new Int32Array(frames.length).fill(-1);
    const number = (node: number, kind: number) => {
      const known = frames[kind] ?? ROOT;
      const isCounted = known.kind === "below-threshold";
      const places = isCounted ? (placesOf.get(node) ?? known.places) : 0;
      const key = `${kind} ${places}`;
      const result = numberOf.get(key) ?? used.push(isCounted ? { ...known, places } : known) - 1;
      numberOf.set(key, result);
      if (!isCounted) byFrame[kind] = result;
      return result;
    };
    const renumbered = new Uint32Array(frame.length);
    for (let node = 0; node < renumbered.length; node++) {
      const kind = frame[node] ?? 0;
      const before = byFrame[kind] ?? -1;
      renumbered[node] = before === -1 ? number(node, kind) : before;
    }
    return { frame: renumbered, frames: used };
  }

  return {
    child: nodes.child,
    addPlaces: (node, places) => void placesOf.set(node, (placesOf.get(node) ?? 0) + places),
    size: nodes.size,
    finish(self, sampled) {
      const { frame, parent } = nodes.shape();
      const used = usedFrames(frame);
      const order = preOrder(parent, magnitudes(parent, self));
      const count = order.length;
      const place = new Uint32Array(count);
      const shape = {
        frames: used.frames,
        frame: new Uint32Array(count),
        parent: new Uint32Array(count),
        self: new Float64Array(count),
      };
      for (let at = 0; at < count; at++) {
        const node = order[at] ?? 0;
        place[node] = at;
        shape.frame[at] = used.frame[node] ?? 0;
        shape.parent[at] = place[parent[node] ?? 0] ?? 0;
        shape.self[at] = self[node] ?? 0;
      }
      const ordered = (variance: Float64Array) => Float64Array.from(order, (node) => variance[node] ?? 0);
      return {
        tree: { ...shape, total: sumBelow(shape, shape.self), ...withVariance(sampled, ordered) },
        place,
      };
    },
  };
}

/** For each node the sum of |self| over the node and all below it. */
export function magnitudes(parent: Uint32Array, self: Float64Array): Float64Array {
  const sizes = new Float64Array(self.length);
  for (let node = 0; node < sizes.length; node++) sizes[node] = Math.abs(self[node] ?? 0);
  return sumBelow({ parent }, sizes);
}

/** Adds the places of a frame that is below the threshold to its node. */
export function countPlaces(builder: TreeBuilder, node: number, frame: Frame | undefined): void {
  if (frame?.kind === "below-threshold") builder.addPlaces(node, frame.places);
}

/** The stacks of a tree where they end now. @param ends the builder's node for each of the tree's, 0 for none */
export function rebuilt(
  builder: TreeBuilder,
  ends: Uint32Array,
  { self, sampled }: Pick<FrameTree, "self" | "sampled">,
): FrameTree {
  const size = builder.size();
  const inPlace = (values: Float64Array) => summed(size, ends, values);
  return builder.finish(inPlace(self), withVariance(sampled, inPlace).sampled).tree;
}

/** `values` added up by the places they belong to. */
export function summed(size: number, places: Uint32Array, values: Float64Array): Float64Array {
  const sums = new Float64Array(size);
  for (let node = 0; node < places.length; node++) {
    const place = places[node] ?? 0;
    sums[place] = (sums[place] ?? 0) + (values[node] ?? 0);
  }
  return sums;
}

/** The nodes in pre-order, siblings with the greatest weight first and otherwise as they were made. */
function preOrder(parent: Uint32Array, weight: Float64Array): Uint32Array {
  const { starts, children } = childrenByParent(parent);
  for (let node = 0; node < parent.length; node++) {
    sortByWeight(children, starts[node] ?? 0, starts[node + 1] ?? 0, weight);
  }
  const order = new Uint32Array(parent.length);
  const pending = new Uint32Array(parent.length);
  let waiting = 1;
  for (let at = 0; waiting > 0; at++) {
    const node = pending[--waiting] ?? 0;
    order[at] = node;
    for (let child = (starts[node + 1] ?? 0) - 1; child >= (starts[node] ?? 0); child--) {
      pending[waiting++] = children[child] ?? 0;
    }
  }
  return order;
}

/** The children of node `n` are `children[starts[n]]` to `children[starts[n + 1] - 1]`. */
function childrenByParent(parent: Uint32Array) {
  const starts = new Uint32Array(parent.length + 2);
  for (let node = 1; node < parent.length; node++) {
    const at = (parent[node] ?? 0) + 2;
    starts[at] = (starts[at] ?? 0) + 1;
  }
  for (let node = 2; node < starts.length; node++) starts[node] = (starts[node] ?? 0) + (starts[node - 1] ?? 0);
  const children = new Uint32Array(Math.max(0, parent.length - 1));
  for (let node = 1; node < parent.length; node++) {
    const at = (parent[node] ?? 0) + 1;
    const next = starts[at] ?? 0;
    children[next] = node;
    starts[at] = next + 1;
  }
  return { starts, children };
}

/** Sorts `nodes[from]` to `nodes[to - 1]`. Most nodes have few children: for those nothing is allocated. */
function sortByWeight(nodes: Uint32Array, from: number, to: number, weight: Float64Array): void {
  if (to - from > 24) {
    nodes.subarray(from, to).sort((a, b) => (weight[b] ?? 0) - (weight[a] ?? 0) || a - b);
    return;
  }
  for (let next = from + 1; next < to; next++) {
    const node = nodes[next] ?? 0;
    const size = weight[node] ?? 0;
    let at = next;
    for (; at > from && (weight[nodes[at - 1] ?? 0] ?? 0) < size; at--) nodes[at] = nodes[at - 1] ?? 0;
    nodes[at] = node;
  }
}
