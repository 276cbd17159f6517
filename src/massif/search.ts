/** Finds frames by their names. */
import { fullName } from "./frameNames.ts";
import type { FrameTree } from "./model.ts";
import { compilePattern, type Pattern, type PatternResult } from "./pattern.ts";
import { subtreeEnds } from "./treeShape.ts";

export interface Matches {
  /** 1 for each of the tree's frames whose name matches. */
  readonly frames: Uint8Array;
  /** The nodes of these frames, ascending. */
  readonly nodes: Uint32Array;
  /** Bytes of the stacks that pass through a match, each once. */
  readonly bytes: number;
}

/** A regular expression. Capital letters matter only in a text that has some. */
export function compileSearch(text: string): PatternResult {
  const literal = text.replace(/\\./g, "");
  return compilePattern(text, { ignoreCase: literal.toLowerCase() === literal });
}

export function search(tree: FrameTree, pattern: Pattern): Matches {
  const frames = Uint8Array.from(tree.frames, (frame) => (pattern.matches(fullName(frame)) ? 1 : 0));
  const nodes = new Uint32Array(tree.frame.length);
  const ends = subtreeEnds(tree);
  let count = 0;
  let bytes = 0;
  let coveredUntil = 0;
  // The root is not a frame of any stack.
  for (let node = 1; node < nodes.length; node++) {
    if (frames[tree.frame[node] ?? 0] !== 1) continue;
    nodes[count++] = node;
    if (node < coveredUntil) continue;
    coveredUntil = ends[node] ?? 0;
    bytes += tree.total[node] ?? 0;
  }
  return { frames, nodes: nodes.slice(0, count), bytes };
}
