/** Pages and messages speak the language of the window: nothing of them is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../scripts/words.mjs";
import { UserError } from "../profile/userError.ts";
import { speakChinese } from "../words/testing.ts";
import { messageOf } from "./report/asUserError.ts";
import { timelineHtml } from "./timeline/timelineHtml.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("the page of a timeline", () => {
  const html = timelineHtml({ cspSource: "", nonce: "n", scriptUri: "t.js", styleUri: "t.css", folder: "/runs/a" });
  expect(html).toContain('<html lang="zh-CN">');
  expect(html).toContain(">内存时间线</h1>");
});

test("an error with its hint", () => {
  expect(messageOf(new UserError("a", "运行失败。", "请重试。"))).toBe("运行失败。请重试。");
});
