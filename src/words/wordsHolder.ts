/**
 * Where a program keeps the words of its language: in one place for all of its bundles, and where a script in a page's
 * HTML can put them.
 */
export type Language = "en" | "zh-CN";

/** What stands before, between and behind the values of an English sentence; it in that language, with places. */
export type Sentence = readonly [pieces: readonly string[], said: string];

export interface Words {
  readonly language: Language;
  /** By `wordsKey` of the English text. */
  readonly words: Readonly<Record<string, string>>;
  /** What the board's helper says, those that say most by themselves first. */
  readonly sentences: readonly Sentence[];
}

declare global {
  /** Nothing in it: English. */
  var jetsonMemprofWords: Words | undefined;
}

export const wordsHolder: { jetsonMemprofWords: Words | undefined } = globalThis;
