/** A growing tree in which equal frames below the same node are one node. */
import { UserError } from "../profile/userError.ts";

/** More nodes than this are refused: a file made for the purpose could ask for any number. */
const MAX_NODES = 8_000_000;
/** Likewise for the steps from node to node that merging takes. */
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
  let capacity = Math.max(16, expected);
  let frames = new Uint32Array(capacity);
  let parents = new Uint32Array(capacity);
  /** The child that was asked for last: neighbouring stacks share most of their frames. */
  let recent = new Uint32Array(capacity);
  let slots = new Uint32Array(slotCount(capacity));
  let size = 1;
  let steps = 0;
  frames[0] = rootFrame;

  function slotOf(parent: number, frame: number): number {
    const mask = slots.length - 1;
    let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b);
    hash ^= hash >>> 15;
    let slot = hash & mask;
    for (let node = slots[slot] ?? 0; node !== 0; node = slots[slot] ?? 0) {
      if (parents[node] === parent && frames[node] === frame) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  function grow(): void {
    capacity *= 2;
    frames = grown(frames, capacity);
    parents = grown(parents, capacity);
    recent = grown(recent, capacity);
    slots = new Uint32Array(slotCount(capacity));
    for (let node = 1; node < size; node++) slots[slotOf(parents[node] ?? 0, frames[node] ?? 0)] = node;
  }

  function add(parent: number, frame: number, slot: number): number {
    if (size === capacity) {
      grow();
      return add(parent, frame, slotOf(parent, frame));
    }
    if (size === MAX_NODES) throw tooLarge();
    frames[size] = frame;
    parents[size] = parent;
    slots[slot] = size;
    return size++;
  }

  return {
    child(parent, frame) {
      if (++steps > MAX_STEPS) throw tooLarge();
      const guess = recent[parent] ?? 0;
      if (guess !== 0 && frames[guess] === frame) return guess;
      const slot = slotOf(parent, frame);
      const node = slots[slot] || add(parent, frame, slot);
      recent[parent] = node;
      return node;
    },
    size: () => size,
    shape: () => ({ frame: frames.subarray(0, size), parent: parents.subarray(0, size) }),
  };
}

/** A power of two that leaves half of the slots empty. */
function slotCount(capacity: number): number {
  return 2 ** Math.ceil(Math.log2(capacity * 2));
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
