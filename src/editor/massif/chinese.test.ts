/** The massif page speaks the language of the window: nothing of it is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { massifHtml } from "./massifHtml.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("the page", () => {
  const html = massifHtml({ cspSource: "", nonce: "n", scriptUri: "m.js", styleUri: "m.css", source: "/run" });
  expect(html).toContain('<label title="从程序开始处起，到分配内存处止。">');
  expect(html).toContain("正在读取文件…");
});
