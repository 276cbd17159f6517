/** The tree as it travels → typed arrays, checked: what comes from outside may not fit together. */
import type { LabelFacts } from "../../../src/massif/frameTree.ts";
import { MAX_NODES } from "../../../src/massif/limits.ts";
import type { CallTree, PythonPlace } from "../../../src/massif/model.ts";
import { UserError } from "../../../src/profile/userError.ts";
import type { WireTree } from "../../../src/protocol/massif.ts";

const damaged = (): UserError =>
  new UserError(
    "massif-tree-damaged",
    "The snapshot's call stacks arrived damaged.",
    "Close the view and open it again.",
  );

/** Bytes of base64 text, in a buffer of their own; throws UserError when it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(base64);
  } catch {
    throw damaged();
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function wordsOf(base64: string): Uint32Array {
  const bytes = bytesOf(base64);
  if (bytes.length % Uint32Array.BYTES_PER_ELEMENT !== 0) throw damaged();
  return new Uint32Array(bytes.buffer);
}

function doublesOf(base64: string): Float64Array {
  const bytes = bytesOf(base64);
  if (bytes.length % Float64Array.BYTES_PER_ELEMENT !== 0) throw damaged();
  return new Float64Array(bytes.buffer);
}

/** Parents come before their children, labels exist, sizes are numbers. */
function fitsTogether({ labels, label, parent, bytes }: CallTree): boolean {
  const nodes = label.length;
  if (nodes === 0 || parent.length !== nodes || bytes.length !== nodes || parent[0] !== 0) return false;
  for (let node = 0; node < nodes; node++) {
    if ((label[node] ?? 0) >= labels.length || !Number.isFinite(bytes[node])) return false;
    if (node > 0 && (parent[node] ?? 0) >= node) return false;
  }
  return true;
}

/** Throws UserError for a tree that is too large or does not fit together. Every machine of ours is little-endian. */
export function decodeTree(wire: WireTree): { calls: CallTree; facts: LabelFacts } {
  // Four bytes a node, four of each three as base64.
  if (wire.label.length / 4 > ((MAX_NODES + 1) * 4) / 3 + 1)
    throw new UserError(
      "massif-tree-too-large",
      "The snapshot has too many frames to be shown.",
      "Record it again with a higher threshold.",
    );
  const calls: CallTree = {
    labels: wire.labels,
    label: wordsOf(wire.label),
    parent: wordsOf(wire.parent),
    bytes: doublesOf(wire.bytes),
  };
  if (!fitsTogether(calls)) throw damaged();
  const python = new Map<number, PythonPlace>();
  for (const { label, place, function: name, kind } of wire.python)
    python.set(label, { ...place, function: name, kind });
  const library = new Map(wire.library.map(({ label, path }) => [label, path]));
  return { calls, facts: { python, library } };
}
