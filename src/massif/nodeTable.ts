/** A growing tree in which equal frames below the same node are one node. */
import { UserError } from "../profile/userError.ts";
import { MAX_NODES } from "./limits.ts";

/** A tree for which more slots than this are looked at is refused as well. */
const MAX_STEPS = 400_000_000;

export interface NodeTable {
  /** The node of `frame` below `parent`, made when it is not there; node 0 is the root. */
  child(parent: number, frame: number): number;
  /** Nodes so far. */
  size(): number;
  /** The nodes' frames and parents, in the order in which they were made: a parent comes before its children. */
  shape(): { readonly frame: Uint32Array; readonly parent: Uint32Array };
}

/** @throws UserError `massif-tree-too-large`, from `child` */
export function createNodeTable(rootFrame: number, expected: number): NodeTable {
  // Half as many as there are slots, which are a power of two.
  let capacity = 2 ** Math.ceil(Math.log2(Math.max(16, expected)));
  let frames = new Uint32Array(capacity);
  let parents = new Uint32Array(capacity);
  /** Open addressing; three words a slot, so that one look at memory tells: parent, frame, node (0: empty). */
  let slots = new Uint32Array(3 * 2 * capacity);
  let mask = slots.length / 3 - 1;
  let size = 1;
  let steps = 0;
  frames[0] = rootFrame;

  /** Where the node is, or where it belongs. */
  function slotOf(parent: number, frame: number): number {
    let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b);
    hash ^= hash >>> 15;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = 3 * slot;
      steps++;
      if (slots[at + 2] === 0 || (slots[at] === parent && slots[at + 1] === frame)) return at;
    }
  }

  function put(slot: number, parent: number, frame: number, node: number): void {
    slots[slot] = parent;
    slots[slot + 1] = frame;
    slots[slot + 2] = node;
  }

  function grow(): void {
    capacity *= 2;
    frames = grown(frames, capacity);
    parents = grown(parents, capacity);
    slots = new Uint32Array(3 * 2 * capacity);
    mask = slots.length / 3 - 1;
    for (let node = 1; node < size; node++) {
      const parent = parents[node] ?? 0;
      const frame = frames[node] ?? 0;
      put(slotOf(parent, frame), parent, frame, node);
    }
  }

  function add(parent: number, frame: number, slot: number): number {
    if (size === MAX_NODES) throw tooLarge();
    frames[size] = frame;
    parents[size] = parent;
    put(slot, parent, frame, size);
    return size++;
  }

  return {
    child(parent, frame) {
      const slot = slotOf(parent, frame);
      if (steps > MAX_STEPS) throw tooLarge();
      const node = slots[slot + 2] ?? 0;
      if (node !== 0) return node;
      if (size < capacity) return add(parent, frame, slot);
      grow();
      return add(parent, frame, slotOf(parent, frame));
    },
    size: () => size,
    shape: () => ({ frame: frames.subarray(0, size), parent: parents.subarray(0, size) }),
  };
}

function grown(array: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const result = new Uint32Array(length);
  result.set(array);
  return result;
}

function tooLarge(): UserError {
  return new UserError(
    "massif-tree-too-large",
    "This snapshot has more different stacks than can be shown this way.",
    "Show it with the allocators first, or record it again with a higher threshold or a smaller depth.",
  );
}
