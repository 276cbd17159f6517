/**
 * Where a program keeps the words of its language: in one place for all of its bundles, and where a page's own script
 * of words can put them.
 */
export type Language = "en" | "zh-CN";

export interface Words {
  readonly language: Language;
  /** By `wordsKey` of the English text. */
  readonly words: Readonly<Record<string, string>>;
}

declare global {
  /** Nothing in it: English. */
  var jetsonMemprofWords: Words | undefined;
}

export const wordsHolder: { jetsonMemprofWords: Words | undefined } = globalThis;
