/** Imports and exports speak the reader's language; what programs and others read stays English. */
import * as fs from "node:fs";
import { afterEach, expect, test } from "vitest";
import { EXPORT_FORMATS, type ExportFormat } from "../profile/formats/exportFormats.ts";
import { openRunFolder } from "../profile/run/runFolder.ts";
import { speakChinese } from "../words/testing.ts";
import { exportRun } from "./exports/exportRun.ts";
import { makeTraining } from "./exports/testing.ts";
import { importContent } from "./imports/importers.ts";
import { bytesOf, contextOf } from "./imports/testing.ts";
import { importedSentence } from "./importWords.ts";

const PARTS = new URL("../../l10n/zh-cn/", import.meta.url);
/** All of the catalogue: reports are put together from texts of every part. */
const WORDS: Readonly<Record<string, string>> = Object.assign(
  {},
  ...fs.readdirSync(PARTS).map((name) => JSON.parse(fs.readFileSync(new URL(name, PARTS), "utf8"))),
);

let speakEnglish = (): void => undefined;
afterEach(() => speakEnglish());

test("what was imported", () => {
  speakEnglish = speakChinese(WORDS);
  const imported = importContent(bytesOf("MEM 1.5 100.0\nMEM 2.5 100.1\nMEM -1 100.2\n"), {}, contextOf("m.dat"));
  expect(importedSentence(imported)).toBe(
    "已从 mprof 导入一次运行（m.dat）：2 个时刻。文件包含内存随时间的变化，不按行提供。1 个没有可读数据的测量值已略去。",
  );
  expect(imported.profile.run.imported?.measures).toMatch(/^process memory as memory_profiler reads it/);
});

async function exported(format: ExportFormat): Promise<string> {
  const project = makeTraining();
  const reader = openRunFolder(project.run);
  await reader.refresh();
  const { content } = await exportRun(reader, format, {});
  project.remove();
  return Buffer.concat([...content].map((piece) => Buffer.from(piece))).toString("latin1");
}

test.each(EXPORT_FORMATS)("an export as %s is the same", async (format) => {
  const english = await exported(format);
  speakEnglish = speakChinese(WORDS);
  expect(await exported(format)).toBe(english);
});
