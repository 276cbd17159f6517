/** Pages and messages speak the language of the window: nothing of them is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue, helperSentences } from "../../scripts/words.mjs";
import { UserError } from "../profile/userError.ts";
import { summary } from "../runs/testing.ts";
import { speakChinese } from "../words/testing.ts";
import { messageOf } from "./report/asUserError.ts";
import { describeRun } from "./runs/words/describeRun.ts";
import { timelineHtml } from "./timeline/timelineHtml.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"), helperSentences("zh-cn"));
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

test("a run's warnings in its tooltip, also where a newer helper says what is not known here", () => {
  const warnings = ["Process 9, forked from process 8, was not measured: out of memory.", "A new sentence."];
  const { tooltip } = describeRun(summary({ folder: "/runs/a", warnings }), "finished", false);
  expect(tooltip).toContain("注意：未测量由进程 8 fork 的进程 9：内存不足。");
  expect(tooltip).toContain("A new sentence.");
});
