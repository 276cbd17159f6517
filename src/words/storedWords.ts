/** How a language's words lie in `dist/`, and how a page gets them. */
import type { Words } from "./wordsHolder.ts";

/** JSON, compressed by brotli, made by scripts/words.mjs. */
export interface StoredWords extends Omit<Words, "words"> {
  /** From each text's key to the next one, in base 36: shorter than the keys. */
  readonly gaps: string;
  /** In the order of the keys. */
  readonly words: readonly string[];
}

export function wordsFrom({ language, gaps, words, sentences }: StoredWords): Words {
  let key = 0;
  const keys = gaps.split(" ").map((gap) => {
    key += Number.parseInt(gap, 36);
    return key.toString(36);
  });
  return { language, words: Object.fromEntries(keys.map((each, at) => [each, words[at] ?? ""])), sentences };
}

/** What leaves the words where `t` looks for them, as it stands in a page's HTML. */
export function wordsScript(words: Words): string {
  return `globalThis.jetsonMemprofWords=${JSON.stringify(words).replaceAll("<", "\\u003c")};`;
}
