/** The graph of live bytes by stack, and where a stack is in it. */

import type { Frame } from "../../../src/massif/model.ts";
import { frameTreeOf, viewOf } from "../../../src/massif/tree/frameTree.ts";
import { layOut } from "../../../src/massif/tree/layout.ts";
import { childrenOf, subtreeEnds } from "../../../src/massif/tree/treeShape.ts";
import type { SnapshotFrame, SnapshotStack } from "../../../src/protocol/torch/snapshot.ts";
import { decodeTree } from "../../flame/decode.ts";
import { frameAt } from "../../flame/figures.ts";
import type { StackGraph } from "../../flame/stackGraph.ts";
import type { AnswerTo } from "../queries.ts";

/** @throws UserError */
export function liveGraph(wire: AnswerTo<"tree">["tree"]): StackGraph {
  const { calls, facts } = decodeTree(wire);
  const tree = viewOf(frameTreeOf(calls, facts), { direction: "callers-first", allFrames: true });
  return {
    tree,
    layout: layOut(tree, { minWidth: 0 }),
    weights: tree.total,
    ends: subtreeEnds(tree),
    whole: tree.total[0] ?? 0,
  };
}

function isFrame(frame: Frame, { name, place }: SnapshotFrame): boolean {
  if (frame.kind === "python")
    return place !== undefined && frame.path === place.path && frame.line === place.line && frame.function === name;
  return frame.kind === "native" && place === undefined && frame.function === name;
}

/** The node at which a stack ends; frames that the graph leaves out are passed over. Undefined where it has no such stack. */
export function nodeOfStack(graph: StackGraph, { frames }: SnapshotStack): number | undefined {
  let node = 0;
  for (const frame of [...frames].reverse())
    node = childrenOf(graph.ends, node).find((child) => isFrame(frameAt(graph, child), frame)) ?? node;
  return node === 0 ? undefined : node;
}
