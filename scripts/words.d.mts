import type { StoredWords } from "../src/words/storedWords.ts";
import type { Language } from "../src/words/wordsHolder.ts";

export interface WordsFound {
  readonly uses: readonly { readonly key: string; readonly place: string }[];
  readonly problems: readonly string[];
  readonly unwrapped: readonly string[];
}
export function wordsIn(source: string, file: string): WordsFound;
export function wordsOf(places?: readonly string[]): WordsFound;
export function catalogue(language: string): Record<string, string>;
export function helperWords(language: string): Record<string, string>;
export function helperSentences(language: string): [string[], string][];
export function unclear(texts: readonly string[]): string[];
export function problemsOf(language: string): string[];
export function storedWords(language: string, tag: Language): StoredWords;
export function packedWords(language: string, tag: Language): Buffer;
