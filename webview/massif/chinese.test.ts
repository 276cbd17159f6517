/** What the massif page says is in the language of the window. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../scripts/words.mjs";
import { speakChinese } from "../../src/words/testing.ts";
import { remark } from "../flame/figures.ts";
import { describeSnapshot } from "./choice.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("a snapshot", () => {
  const peak = { number: 4, time: 1_500, heap: 2 ** 20, extra: 1024, stacks: 0, tree: "peak", nodes: 3 } as const;
  const file = { name: "a", command: "", description: "", timeUnit: "ms", pagesAsHeap: false, frames: "none" } as const;
  expect(describeSnapshot({ ...file, snapshots: [peak], problems: [] }, 0)).toBe(
    "快照 4（峰值） · 1.5 s · 堆 1.0 MiB · 分配器开销 1 KiB",
  );
});

test("a frame", () => {
  expect(remark({ kind: "native", interpreter: false })).toBe("函数名未知：该库没有其符号。");
});
