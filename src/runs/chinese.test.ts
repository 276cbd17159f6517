/** How a run ended, in the language of the window. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../scripts/words.mjs";
import { speakChinese } from "../words/testing.ts";
import { endWords } from "./list/outcome.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test.each([
  [undefined, "未记录结束方式"],
  [{ kind: "exited", code: 0 }, "已完成"],
  [{ kind: "exited", code: 3 }, "退出码 3"],
  [{ kind: "cancelled" }, "已取消"],
  [{ kind: "lost", restarted: true }, "开发板已重启，不完整"],
] as const)("the end %j", (exit, words) => {
  expect(endWords(exit)).toBe(words);
});
