/** What stands among a script's output speaks the language of the window; the output stays as it is. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { createOutputThrottle } from "./outputThrottle.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  vi.useFakeTimers();
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => {
  speakEnglish();
  vi.useRealTimers();
});

test("output that came too fast", () => {
  let text = "";
  const throttle = createOutputThrottle(6, (part) => {
    text += part;
  });
  throttle.push("stdout", Buffer.from("12345\n789\n"));
  vi.advanceTimersByTime(1_000);
  expect(text).toContain("stdout 中有 4 B 来得过快，未在此显示；运行文件夹的 stdout.log 中有全部内容");
});
