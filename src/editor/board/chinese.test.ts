/** The board's memory and its checks speak the language of the window: nothing is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { consentFor } from "./doctor/doctorConsent.ts";
import { memoryHtml } from "./memory/memoryHtml.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("the page of the board's memory", () => {
  const html = memoryHtml({ cspSource: "", nonce: "n", scriptUri: "memory.js", styleUri: "memory.css" });
  expect(html).toContain('<html lang="zh-CN">');
  expect(html).toContain('Home 和 End 键转到两端<span id="run-keys">，B 键转到基线');
});

test("the question before a command", () => {
  const { message } = consentFor({ command: "sudo reboot", effect: "", board: "nano" });
  expect(message).toBe("是否在 nano 上运行此命令？");
});
