/** The page of a model speaks the language of the window: nothing of it is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../../scripts/words.mjs";
import { speakChinese } from "../../../words/testing.ts";
import { modelHtml } from "./modelHtml.ts";
import { trialText } from "./trialText.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("the page", () => {
  const html = modelHtml({ cspSource: "", nonce: "n", scriptUri: "m.js", styleUri: "m.css", folder: "/run" });
  expect(html).toContain('<h2 id="whatif-title">假设分析</h2>');
});

test("a trial", () => {
  expect(trialText({ kind: "checkpoint", every: 2 })).toBe("对模型链中每 2 层共同使用一个激活检查点。");
});
