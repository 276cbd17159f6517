/** For tests: the words of a language without a build. */
import { wordsKey } from "./key.ts";
import { type Sentence, wordsHolder } from "./wordsHolder.ts";

/**
 * Speaks Chinese with these words until the returned function is called.
 * @param sentences what the board's helper says
 */
export function speakChinese(words: Readonly<Record<string, string>>, sentences: readonly Sentence[] = []): () => void {
  const byKey = Object.entries(words).map(([text, said]) => [wordsKey(text), said]);
  wordsHolder.jetsonMemprofWords = { language: "zh-CN", words: Object.fromEntries(byKey), sentences };
  return () => {
    wordsHolder.jetsonMemprofWords = undefined;
  };
}
