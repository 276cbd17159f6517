/** The tree as it travels → typed arrays, checked: what comes from outside may not fit together. */

import { MAX_NODES } from "../../src/massif/limits.ts";
import type { CallTree, PythonPlace, Sampled } from "../../src/massif/model.ts";
import type { LabelFacts } from "../../src/massif/tree/frameTree.ts";
import { UserError } from "../../src/profile/userError.ts";
import type { WireTree } from "../../src/protocol/massif/massif.ts";
import { t } from "../../src/words/t.ts";
import { doublesOf, wordsOf } from "../binary.ts";

const damaged = (): UserError =>
  new UserError(
    "massif-tree-damaged",
    t("The snapshot's call stacks arrived damaged."),
    t("Close the view and open it again."),
  );

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

function sampledOf({ sampled }: WireTree, nodes: number): Sampled | undefined {
  if (sampled === undefined) return undefined;
  const variance = doublesOf(sampled.variance);
  if (!(variance?.length === nodes && variance.every((one) => one >= 0))) throw damaged();
  return { variance, mean: sampled.mean };
}

/** Throws UserError for a tree that is too large or does not fit together. */
export function decodeTree(wire: WireTree): {
  calls: CallTree;
  facts: LabelFacts;
  sampled: Sampled | undefined;
} {
  // Four bytes a node, four of each three as base64.
  if (wire.label.length / 4 > ((MAX_NODES + 1) * 4) / 3 + 1)
    throw new UserError(
      "massif-tree-too-large",
      t("The snapshot has too many frames to be shown."),
      t("Record it again with a higher threshold."),
    );
  const [label, parent, bytes] = [wordsOf(wire.label), wordsOf(wire.parent), doublesOf(wire.bytes)];
  if (!label || !parent || !bytes) throw damaged();
  const calls: CallTree = { labels: wire.labels, label, parent, bytes };
  if (!fitsTogether(calls)) throw damaged();
  const python = new Map<number, PythonPlace>();
  for (const { label: at, place, function: name, kind } of wire.python)
    python.set(at, { ...place, function: name, kind });
  const library = new Map(wire.library.map(({ label: at, path }) => [at, path]));
  return { calls, facts: { python, library }, sampled: sampledOf(wire, label.length) };
}
