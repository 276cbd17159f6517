/** A growing tree in which equal frames below the same node are one node. */
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { MAX_NODES } from "../limits.ts";

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

/** Words of a slot: parent, frame, node (0: empty), so that one look at memory tells. */
const SLOT = 3;

/** @throws UserError `massif-tree-too-large`, from `child` */
export function createNodeTable(rootFrame: number, expected: number): NodeTable {
  let capacity = Math.max(16, expected);
  let frames = new Uint32Array(capacity);
  let parents = new Uint32Array(capacity);
  /** Most nodes have one child: it is found here, next to its parent's neighbors. 0: none. */
  let firstChild = new Uint32Array(capacity);
  /** The other children: open addressing, at most half of the slots are taken. Their number is a power of two. */
  let slots = new Uint32Array(SLOT * 64);
  let mask = slots.length / SLOT - 1;
  let taken = 0;
  let size = 1;
  let steps = 0;
  frames[0] = rootFrame;

  /** Where the node is, or where it belongs. */
  function slotOf(parent: number, frame: number): number {
    let hash = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b);
    hash ^= hash >>> 15;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = SLOT * slot;
      steps++;
      if (slots[at + 2] === 0 || (slots[at] === parent && slots[at + 1] === frame)) return at;
    }
  }

  function put(slot: number, parent: number, frame: number, node: number): void {
    slots[slot] = parent;
    slots[slot + 1] = frame;
    slots[slot + 2] = node;
  }

  function addSlots(): void {
    const before = slots;
    slots = new Uint32Array(before.length * 2);
    mask = slots.length / SLOT - 1;
    for (let at = 0; at < before.length; at += SLOT) {
      const node = before[at + 2] ?? 0;
      if (node === 0) continue;
      const [parent, frame] = [before[at] ?? 0, before[at + 1] ?? 0];
      put(slotOf(parent, frame), parent, frame, node);
    }
  }

  function add(parent: number, frame: number): number {
    if (size === MAX_NODES) throw tooLarge();
    if (size === capacity) {
      capacity *= 2;
      frames = grown(frames, capacity);
      parents = grown(parents, capacity);
      firstChild = grown(firstChild, capacity);
    }
    frames[size] = frame;
    parents[size] = parent;
    return size++;
  }

  function laterChild(parent: number, frame: number): number {
    const slot = slotOf(parent, frame);
    const known = slots[slot + 2] ?? 0;
    if (known !== 0) return known;
    const node = add(parent, frame);
    put(slot, parent, frame, node);
    if (++taken > mask / 2) addSlots();
    return node;
  }

  return {
    child(parent, frame) {
      if (++steps > MAX_STEPS) throw tooLarge();
      const first = firstChild[parent] ?? 0;
      if (first !== 0) return frames[first] === frame ? first : laterChild(parent, frame);
      const node = add(parent, frame);
      firstChild[parent] = node;
      return node;
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
    t("This snapshot has more different stacks than can be shown this way."),
    t("Show it with the allocators first, or record it again with a higher threshold or a smaller depth."),
  );
}
