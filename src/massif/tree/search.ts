/** Finds frames by their names. */
import { t } from "../../words/t.ts";
import type { FrameTree } from "../model.ts";

export interface Matches {
  /** 1 for each of the tree's frames whose name matches. */
  readonly frames: Uint8Array;
  /** The nodes of these frames, ascending. */
  readonly nodes: Uint32Array;
  /** Bytes of the stacks that pass through a match, each once. */
  readonly bytes: number;
}

/** Found anywhere in a name. How long that takes is not bounded: it is for a worker, which can be ended. */
export interface Expression {
  readonly kind: "expression";
  readonly source: string;
  readonly flags: string;
}

/** `message` is a sentence for the person who typed the expression. */
export type ExpressionResult = Expression | { readonly kind: "invalid"; readonly message: string };

/** A regular expression of JavaScript's. Capital letters matter only in a text that has some. */
export function searchExpression(text: string): ExpressionResult {
  const literal = text.replace(/\\./g, "");
  const flags = literal.toLowerCase() === literal ? "iu" : "u";
  try {
    new RegExp(text, flags);
    return { kind: "expression", source: text, flags };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const reason = error.message.replace(/^Invalid regular expression: \/.*\/[a-z]*: /s, "");
    return {
      kind: "invalid",
      message: t(
        "The search does not know this regular expression: {0}. Put \\ before a character that stands for itself.",
        reason,
      ),
    };
  }
}

export const matchNames = ({ source, flags }: Expression, names: readonly string[]): Uint8Array => {
  const expression = new RegExp(source, flags);
  return Uint8Array.from(names, (name) => (expression.test(name) ? 1 : 0));
};

/**
 * @param frames as in `Matches`
 * @param ends as `subtreeEnds(tree)` has them
 */
export function matchesIn(tree: FrameTree, frames: Uint8Array, ends: Uint32Array): Matches {
  const nodes = new Uint32Array(tree.frame.length);
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
