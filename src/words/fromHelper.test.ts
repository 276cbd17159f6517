import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fromHelper } from "./fromHelper.ts";
import { inEnglish } from "./inEnglish.ts";
import { speakChinese } from "./testing.ts";
import type { Sentence } from "./wordsHolder.ts";

const SENTENCES: readonly Sentence[] = [
  [["Process ", ", forked from process ", ", was not measured: ", "."], "未测量由进程 {1} fork 的进程 {0}：{2}。"],
  [["Process ", ": ", ""], "进程 {0}：{1}"],
  [["it is full"], "它已满"],
  [["", " is not measured: ", "."], "未测量 {0}：{1}。"],
];

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese({}, SENTENCES);
});
afterEach(() => speakEnglish());

describe("a sentence of the helper", () => {
  it.each([
    [
      "with its values, in the order of the language",
      "Process 5, forked from process 4, was not measured: no disk.",
      "未测量由进程 4 fork 的进程 5：no disk。",
    ],
    ["with a reason that is the helper's too", "a.py is not measured: it is full.", "未测量 a.py：它已满。"],
    ["with a sentence in it", "Process 7: a.py is not measured: it is full.", "进程 7：未测量 a.py：它已满。"],
    ["whose value has places and line ends", "{1}\n{0} is not measured: it is full.", "未测量 {1}\n{0}：它已满。"],
    ["with an empty value", " is not measured: .", "未测量 ：。"],
  ])("is said %s", (_, english, said) => {
    expect(fromHelper(english)).toBe(said);
  });

  it.each(["it is full!", "Process 5, forked from process 4, was measured.", "", " is not measured: "])(
    "stays as it is where it is another one: %j",
    (other) => expect(fromHelper(other)).toBe(other),
  );

  it("is English where the program speaks English, or for what programs read", () => {
    expect(inEnglish(() => fromHelper("it is full"))).toBe("it is full");
    speakEnglish();
    expect(fromHelper("it is full")).toBe("it is full");
  });

  it("is not looked for without end in what a board sends", () => {
    const deep = "Process 1: ".repeat(300);
    expect(fromHelper(deep).match(/进程/g)).toHaveLength(3);
    const long = `Process 1: ${"x".repeat(5000)}`;
    expect(fromHelper(long)).toBe(long);
  });
});
