/** What the page of a model says is in the language of the window. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../scripts/words.mjs";
import { speakChinese } from "../../src/words/testing.ts";
import { sumText, unseenKinds } from "./layers/kinds.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("bytes by kind", () => {
  const bytes = { parameters: 2 ** 20, buffers: 0, activations: 0 };
  expect(unseenKinds(bytes)).toEqual(["梯度", "优化器"]);
  expect(sumText(bytes, "至少")).toBe("至少 1.0 MiB");
});
