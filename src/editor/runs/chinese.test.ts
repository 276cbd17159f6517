/** Rows of runs speak the language of the window: nothing of them is worked out before it is known. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../../scripts/words.mjs";
import { speakChinese } from "../../words/testing.ts";
import { orderWords } from "./tree/arrangement.ts";
import { describeFunction } from "./words/describe.ts";
import { longWhen, shortWhen } from "./words/when.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("a function's row", () => {
  const fn = { name: "<module>", defLine: 1, net: 0, calls: 2, timeNs: 0, lines: [] };
  const { label, description } = describeFunction(fn, "rss");
  expect([label, description]).toEqual(["模块级", "0 B · 2 次调用"]);
});

test("an order", () => {
  expect(orderWords("peak")).toBe("峰值最高在前");
});

test("a time is written as the language writes it, also after another language was spoken", () => {
  const time = new Date(2026, 2, 5, 14, 7);
  expect(longWhen(time)).toMatch(/2026年3月5日 14:07/);
  expect(shortWhen(time, new Date(2026, 3, 1))).toMatch(/3月5日 14:07/);
  speakEnglish();
  expect(longWhen(time)).not.toMatch(/年/);
});
