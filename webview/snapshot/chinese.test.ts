/** What the page of a snapshot says is in the language of the window. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalogue } from "../../scripts/words.mjs";
import type { SnapshotAllocation } from "../../src/protocol/torch/snapshot.ts";
import { speakChinese } from "../../src/words/testing.ts";
import { lifetimeText, segmentName } from "./words.ts";

let speakEnglish = (): void => undefined;
beforeEach(() => {
  speakEnglish = speakChinese(catalogue("zh-cn"));
});
afterEach(() => speakEnglish());

test("how long an allocation was there", () => {
  const allocation: SnapshotAllocation = {
    allocation: 0,
    address: "0x1",
    size: 8,
    start: 3,
    duration: 1_500,
    stack: { frames: [] },
  };
  expect(lifetimeText(allocation, 12)).toBe("至少 9 个事件，1.5 s（起于事件 3；拍摄快照时未释放）");
});

test("a segment", () => {
  expect(segmentName({ size: 2 ** 20, type: "small", expandable: true, address: "0x1", held: 0 })).toBe(
    "1.0 MiB · 小段 · 可扩展",
  );
});
