/** Which language a program of Node speaks, and where its words come from. */
import * as fs from "node:fs";
import * as path from "node:path";
import { runInThisContext } from "node:vm";
import type { Language } from "./wordsHolder.ts";

/** The file of a language's words in `dist/`: a script, as pages load it too. English has none. */
export function wordsFile(language: Language): string | undefined {
  return language === "en" ? undefined : `${language.toLowerCase()}.js`;
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
  const script = path.join(dist, file);
  // English is better than nothing at all.
  if (!fs.existsSync(script)) return;
  runInThisContext(fs.readFileSync(script, "utf8"), { filename: script });
}
