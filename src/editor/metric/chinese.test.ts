/** The kinds of memory are named in the language of the window: nothing is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { metricMeaning } from "./metricWords.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("a meaning", () => {
  expect(metricMeaning("cuda")).toBe("PyTorch 的 CUDA 分配器分配给张量的内存。");
});
