// The manifest as VS Code shows it: package.json has keys of texts, which stand in package.nls*.json by language.
import * as fs from "node:fs";

const KEY = /^%(.+)%$/;
const root = new URL("..", import.meta.url);
const readJson = (file) => JSON.parse(fs.readFileSync(new URL(file, root), "utf8"));

/** See manifestTexts.d.mts. */
export const LANGUAGES = ["en", "zh-cn"];

/** See manifestTexts.d.mts. */
export function textsOf(language) {
  return readJson(language === "en" ? "package.nls.json" : `package.nls.${language}.json`);
}

/** See manifestTexts.d.mts. */
export function keysOf(value) {
  if (typeof value === "string") return value.match(KEY)?.slice(1) ?? [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(keysOf) : [];
}

/** See manifestTexts.d.mts. */
export function withTexts(value, texts) {
  if (typeof value === "string") return texts[KEY.exec(value)?.[1]] ?? value;
  if (Array.isArray(value)) return value.map((each) => withTexts(each, texts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each, texts)]));
}

/** See manifestTexts.d.mts. */
export const manifestIn = (language) => withTexts(readJson("package.json"), textsOf(language));
