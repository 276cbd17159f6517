/** For tests: the words of a language without a build. */
import { wordsKey } from "./key.ts";
import { wordsHolder } from "./wordsHolder.ts";

/** Speaks Chinese with these words until the returned function is called. */
export function speakChinese(words: Readonly<Record<string, string>>): () => void {
  const byKey = Object.entries(words).map(([text, said]) => [wordsKey(text), said]);
  wordsHolder.jetsonMemprofWords = { language: "zh-CN", words: Object.fromEntries(byKey) };
  return () => {
    wordsHolder.jetsonMemprofWords = undefined;
  };
}
