/** What is written from the declarations is as they say: `npm run docs` writes it. */
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { withCommandTables, withSettingTables } from "./documents.ts";
import { withDeclared } from "./manifest.ts";
import { textsIn } from "./texts.ts";

const asJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const WRITTEN: readonly (readonly [file: string, write: (text: string) => string])[] = [
  ["package.json", (text) => asJson(withDeclared(JSON.parse(text)))],
  ["package.nls.json", () => asJson(textsIn("en"))],
  ["package.nls.zh-cn.json", () => asJson(textsIn("zh"))],
  ["docs/commands.md", withCommandTables],
  ["docs/settings.md", withSettingTables],
];

test.each(WRITTEN)("%s is as it is declared: `npm run docs` writes it", async (name, write) => {
  const file = fileURLToPath(new URL(`../../../../${name}`, import.meta.url));
  await expect(write(fs.readFileSync(file, "utf8"))).toMatchFileSnapshot(file);
});
