/** Which language a program of Node speaks, and where its words come from. */
import * as fs from "node:fs";
import * as path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { type StoredWords, wordsFrom } from "./storedWords.ts";
import { type Language, wordsHolder } from "./wordsHolder.ts";

/** The file of a language's words in `dist/`. English has none. */
export function wordsFile(language: Language): string | undefined {
  return language === "en" ? undefined : `${language.toLowerCase()}.json.br`;
}

/**
 * @param tag as VS Code or a locale names a language: `zh-cn`, `zh-Hans-CN`, `zh_CN.UTF-8`. Traditional Chinese is not
 * written here: those who read it get English, as VS Code does with a language that an extension lacks.
 */
export function languageOf(tag: string): Language {
  const [language, ...rest] = tag.toLowerCase().split(/[-_.@]/);
  if (language !== "zh" || rest.some((part) => ["hant", "tw", "hk", "mo"].includes(part))) return "en";
  return "zh-CN";
}

/**
 * From now on this program speaks that language.
 * @param dist the folder of our bundles
 */
export function useLanguage(tag: string, dist: string): void {
  const file = wordsFile(languageOf(tag));
  if (file === undefined) return;
  const stored = path.join(dist, file);
  // English is better than nothing at all.
  if (!fs.existsSync(stored)) return;
  const json = brotliDecompressSync(fs.readFileSync(stored)).toString();
  // Of our own package, as the program itself.
  wordsHolder.jetsonMemprofWords = wordsFrom(JSON.parse(json) as StoredWords);
}
