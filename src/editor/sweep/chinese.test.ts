/** The page of a sweep speaks the language of the window: nothing of it is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { sweepHtml } from "./sweepHtml.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("the page", () => {
  const html = sweepHtml({ cspSource: "", nonce: "n", scriptUri: "s.js", styleUri: "s.css", sweep: "train-1" });
  expect(html).toContain('<h2 id="limits-title">可容纳的值</h2>');
});
