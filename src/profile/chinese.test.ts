/** What is said of a file that cannot be read, in the language of the window. */
import * as v from "valibot";
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../scripts/words.mjs";
import { speakChinese } from "../words/testing.ts";
import { checkSchema, damaged } from "./files/jsonRecords.ts";
import { UserError } from "./userError.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

function refused(record: Record<string, unknown>): UserError {
  try {
    checkSchema(record, "run.json");
  } catch (error) {
    if (error instanceof UserError) return error;
  }
  throw new Error("Nothing was refused.");
}

test("a file of a newer version", () => {
  expect(refused({ schema: 7 })).toMatchObject({
    message: "run.json 以格式 7 写成；此版本的 Jetson Memory Profiler 最高支持格式 1。",
    hint: "请更新 Jetson Memory Profiler 扩展（或命令），然后重新打开该运行。",
  });
});

test("a file of no known format", () => {
  expect(refused({}).message).toBe("run.json 未说明其格式。");
});

test("a part that is wrong", () => {
  const { issues = [] } = v.safeParse(v.object({ state: v.picklist(["finished"], "?") }), { state: "sleeping" });
  expect(damaged("run.json", issues)).toMatchObject({
    message: "无法读取 run.json，位于“state”：?。",
    hint: "该运行的其他文件未受影响；请在文本编辑器中查看，或重新分析脚本。",
  });
});
