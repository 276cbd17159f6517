/** Finds frames by their names. */
import { RE2JS, RE2JSException } from "re2js";
import { t } from "../../words/t.ts";
import type { FrameTree } from "../model.ts";
import { fullName } from "./frameNames.ts";
import { subtreeEnds } from "./treeShape.ts";

export interface Matches {
  /** 1 for each of the tree's frames whose name matches. */
  readonly frames: Uint8Array;
  /** The nodes of these frames, ascending. */
  readonly nodes: Uint32Array;
  /** Bytes of the stacks that pass through a match, each once. */
  readonly bytes: number;
}

export interface Pattern {
  readonly kind: "pattern";
  /** Whether the expression is found anywhere in the name. */
  matches(name: string): boolean;
}

/** `message` is a sentence for the person who typed the expression. */
export type PatternResult = Pattern | { readonly kind: "invalid"; readonly message: string };

/**
 * A regular expression of RE2's syntax: JavaScript's without look-around and back-references, so that every search takes
 * time in proportion to the names. Capital letters matter only in a text that has some.
 */
export function compileSearch(text: string): PatternResult {
  const literal = text.replace(/\\./g, "");
  try {
    const pattern = RE2JS.compile(text, literal.toLowerCase() === literal ? RE2JS.CASE_INSENSITIVE : 0);
    return { kind: "pattern", matches: (name) => pattern.matcher(name).find() };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, "").replace(/: `.*`$/s, "");
    return {
      kind: "invalid",
      message: t(
        "The search does not know this regular expression: {0}. Put \\ before a character that stands for itself.",
        reason,
      ),
    };
  }
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
