/** Folded stacks, as flamegraph.pl, speedscope and others read them: `main;train;malloc 4096`, a line for each stack. */

import type { DifferenceTree, FrameTree } from "../model.ts";
import { fullName } from "../tree/frameNames.ts";
import { ownParts } from "../tree/treeShape.ts";
import { inPieces } from "./pieces.ts";

/** The bytes of all lines together are the tree's total. */
export function folded(tree: FrameTree): Generator<string> {
  return inPieces(foldedLines(tree, (node) => figure(tree.self[node])));
}

/** Bytes before and after, as `difffolded.pl` writes them: `main;train;malloc 4096 8192`. */
export function foldedDifference({ tree, before, after }: DifferenceTree): Generator<string> {
  const ownBefore = ownParts(tree, before);
  const ownAfter = ownParts(tree, after);
  const figures = (node: number) => {
    const [old, now] = [ownBefore[node] ?? 0, ownAfter[node] ?? 0];
    return old === 0 && now === 0 ? undefined : `${old} ${now}`;
  };
  return inPieces(foldedLines(tree, figures));
}

/** @param figures what stands behind a stack that ends at the node; undefined where none does */
function* foldedLines(tree: FrameTree, figures: (node: number) => string | undefined): Generator<string> {
  const names = tree.frames.map((frame) => fullName(frame).replaceAll(";", ","));
  /** The frames from the root to the node that was visited last, and their nodes. */
  const stack: string[] = [];
  const nodes: number[] = [];
  for (let node = 0; node < tree.frame.length; node++) {
    while (nodes.length > 0 && nodes.at(-1) !== tree.parent[node]) {
      nodes.pop();
      stack.pop();
    }
    if (node > 0) {
      nodes.push(node);
      stack.push(names[tree.frame[node] ?? 0] ?? "");
    }
    const text = figures(node);
    if (text !== undefined) yield `${node === 0 ? "[unknown]" : stack.join(";")} ${text}\n`;
  }
}

function figure(bytes: number | undefined): string | undefined {
  return bytes === 0 ? undefined : String(bytes);
}
