/** What stands beside lines speaks the language of the window: nothing is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { lineSentence } from "./lineSentence.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("a line, as a sentence", () => {
  expect(lineSentence(null, "train.py", 3)).toBe("所显示的运行未测量 train.py。");
  expect(lineSentence({ lines: [] }, "train.py", 3)).toBe("train.py 第 3 行：没有已知的内存占用或归还。");
});
