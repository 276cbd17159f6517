/** Makes a FrameTree by merging stacks. */
import { frameKey } from "./frameNames.ts";
import type { Frame, FrameTree } from "./model.ts";
import { createNodeTable } from "./nodeTable.ts";
import { sumBelow } from "./treeShape.ts";

export interface TreeBuilder {
  /** The number by which `child` knows a frame. All frames below the threshold have one: their places add up. */
  frameNumber(frame: Frame): number;
  /** The node of a frame below `parent`; node 0 is the root. @throws UserError `massif-tree-too-large` */
  child(parent: number, frameNumber: number): number;
  /** Adds places to a node whose frame is below the threshold. */
  addPlaces(node: number, places: number): void;
  size(): number;
  /** @param self bytes of stacks that end at each node, by the numbers that `child` gave */
  finish(self: Float64Array): BuiltTree;
}

export interface BuiltTree {
  /** In strict pre-order, siblings with the most bytes first. */
  readonly tree: FrameTree;
  /** Where each of the builder's nodes is in `tree`. */
  readonly place: Uint32Array;
}

/** @param expected nodes, to make room for at once */
export function createTreeBuilder(expected: number): TreeBuilder {
  const frames: Frame[] = [{ kind: "all" }];
  const numbers = new Map<string, number>();
  const nodes = createNodeTable(0, expected);
  const placesOf = new Map<number, number>();

  /** Frames with the places counted at their nodes, and each node's frame. */
  function countedFrames(frame: Uint32Array) {
    const counted = [...frames];
    const result = Uint32Array.from(frame);
    const byPlaces = new Map<number, number>();
    for (const [node, places] of placesOf) {
      const known = frames[frame[node] ?? 0];
      if (known?.kind !== "below-threshold") continue;
      let number = byPlaces.get(places);
      if (number === undefined) {
        number = counted.push({ ...known, places }) - 1;
        byPlaces.set(places, number);
      }
      result[node] = number;
    }
    return { frames: counted, frame: result };
  }

  return {
    frameNumber(frame) {
      const key = frameKey(frame);
      let number = numbers.get(key);
      if (number === undefined) {
        number = frames.push(frame) - 1;
        numbers.set(key, number);
      }
      return number;
    },
    child: nodes.child,
    addPlaces: (node, places) => void placesOf.set(node, (placesOf.get(node) ?? 0) + places),
    size: nodes.size,
    finish(self) {
      const { frame, parent } = nodes.shape();
      const counted = countedFrames(frame);
      const order = preOrder(parent, sumBelow({ parent }, self.map(Math.abs)));
      const place = new Uint32Array(order.length);
      for (let node = 0; node < order.length; node++) place[order[node] ?? 0] = node;
      const shape = {
        frames: counted.frames,
        frame: order.map((node) => counted.frame[node] ?? 0),
        parent: order.map((node) => place[parent[node] ?? 0] ?? 0),
        self: Float64Array.from(order, (node) => self[node] ?? 0),
      };
      return { tree: { ...shape, total: sumBelow(shape, shape.self) }, place };
    },
  };
}

/** Adds the places of a frame that is below the threshold to its node. */
export function countPlaces(builder: TreeBuilder, node: number, frame: Frame | undefined): void {
  if (frame?.kind === "below-threshold") builder.addPlaces(node, frame.places);
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
    const from = starts[node] ?? 0;
    const to = starts[node + 1] ?? 0;
    if (to - from > 1) {
      children.subarray(from, to).sort((a, b) => (weight[b] ?? 0) - (weight[a] ?? 0) || a - b);
    }
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
