/** The page of a snapshot speaks the language of the window: nothing of it is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../../scripts/words.mjs";
import { speakChinese } from "../../../words/testing.ts";
import { snapshotHtml } from "./snapshotHtml.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("the page", () => {
  const html = snapshotHtml({ cspSource: "", nonce: "n", scriptUri: "s.js", styleUri: "s.css", source: "a.pickle" });
  expect(html).toContain('<option value="events">按事件</option>');
  expect(html).toContain("正在读取快照…");
});
