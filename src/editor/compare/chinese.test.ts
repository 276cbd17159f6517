/** Comparisons speak the language of the window: nothing of them is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { compareHtml } from "./compareHtml.ts";
import { sideOfRepeats } from "./sides.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("the page", () => {
  const folders = { before: [], after: [] };
  const html = compareHtml({ cspSource: "", nonce: "n", scriptUri: "c.js", styleUri: "c.css", folders });
  expect(html).toContain('placeholder="文件或文本"');
});

test("a side", () => {
  expect(sideOfRepeats([])).toMatchObject({ name: "，全部 0 次重复运行", description: "中位数和离散范围" });
});
