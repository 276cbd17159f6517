import { describe, expect, it } from "vitest";
import { seeded } from "../../../test/faults/support/random.ts";
import { leastCpuMs } from "../../profile/testingTime.ts";
import { mapLines } from "./lineMap.ts";

function places(before: string, after: string): (string | undefined)[] {
  const old = before.split("|");
  const map = mapLines(old, after.split("|"));
  return old.map((_, i) => {
    const place = map.toDocument(i + 1);
    return place && `${place.line}${place.stale ? "?" : ""}`;
  });
}

describe("mapLines", () => {
  it.each([
    ["the same text", "a|b|c", "a|b|c", ["1", "2", "3"]],
    ["trailing blanks", "a |b", "a|b  ", ["1", "2"]],
    ["a line before", "a|b|c", "x|a|b|c", ["2", "3", "4"]],
    ["a line between", "a|b|c", "a|x|b|c", ["1", "3", "4"]],
    ["a line removed", "a|b|c", "a|c", ["1", undefined, "2"]],
    ["a line edited", "a|b = f(1)|c", "a|b = f(2)|c", ["1", "2?", "3"]],
    ["a line explained at length", "a|x = load()|c", "a|x = load()  # all that it needs, and why|c", ["1", "2?", "3"]],
    ["a line replaced by an unrelated one", "a|b = f(1)|c", "a|import torch|c", ["1", undefined, "3"]],
    [
      "two lines edited, one inserted elsewhere",
      "a|b = 1|c = 1|d|e",
      "a|b = 2|c = 2|d|x|e",
      ["1", "2?", "3?", "4", "6"],
    ],
    [
      "one edited, one replaced, the other way round",
      "a|data = load(1)|import os|c",
      "a|print(x)|data = load(2)|c",
      ["1", "3?", undefined, "4"],
    ],
    ["a line moved down", "a|one|b|c", "a|b|c|one", ["1", "4?", "2", "3"]],
    ["lines indented", "a|one|two|c", "a|if x:|  one|  two|c", ["1", "3?", "4?", "5"]],
    ["one line split in two", "a|b|c", "a|x|y|c", ["1", undefined, "4"]],
    [
      "a line edited and one typed above it",
      "a|t = bytearray(size)|c",
      "a|x = 1|t = bytearray(size)  # edit|c",
      ["1", "3?", "4"],
    ],
    [
      "one of two edited lines removed",
      "a|net = net.to(device)|opt = SGD(net)|c",
      "a|opt = Adam(net)|c",
      ["1", undefined, "2?", "3"],
    ],
    ["everything gone", "a|b", "", [undefined, undefined]],
    ["nothing to begin with", "", "a|b", [undefined]],
  ])("%s", (_, before, after, expected) => {
    expect(places(before, after)).toEqual(expected);
  });

  it("maps back the same way", () => {
    const map = mapLines(["a", "b = 1", "c"], ["x", "a", "b = 2", "c"]);
    expect(map.toProfiled(1)).toBeUndefined();
    expect(map.toProfiled(2)).toEqual({ line: 1, stale: false });
    expect(map.toProfiled(3)).toEqual({ line: 2, stale: true });
    expect(map.changed).toBe(true);
    expect(mapLines(["a"], ["a"]).changed).toBe(false);
    expect(mapLines(["a", "b"], ["a"]).changed).toBe(true);
  });

  it("never maps two lines to one", () => {
    const random = seeded(7).below;
    for (let round = 0; round < 300; round++) {
      const old = Array.from({ length: random(30) }, () => "abcdefg".charAt(random(7)));
      const now = old.flatMap((line) => [[line], [], [line, "x"], ["y"], [`  ${line}`]][random(5)] ?? []);
      const map = mapLines(old, now);
      const targets = old.flatMap((_, i) => map.toDocument(i + 1) ?? []);
      expect(new Set(targets.map((place) => place.line)).size).toBe(targets.length);
      for (const [i, text] of old.entries()) {
        const place = map.toDocument(i + 1);
        if (place === undefined) continue;
        expect(place.line).toBeLessThanOrEqual(now.length);
        if (!place.stale) expect(now[place.line - 1]).toBe(text);
      }
    }
  });

  const big = Array.from({ length: 10_000 }, (_, i) =>
    i % 5 === 0 ? "" : `    value_${i % 1500} = compute(${i % 700})`,
  );
  it.each([
    ["an edit at the start and one at the end", big.map((line, i) => (i === 1 || i === 9998 ? "x" : line))],
    ["200 edits all over", big.map((line, i) => (i % 50 === 7 ? `${line}  # changed` : line))],
    ["another file altogether", Array.from({ length: 10_000 }, (_, i) => `other ${i}`)],
    ["every line indented", big.map((line) => `  ${line}`)],
    ["a block of 150 lines edited", big.map((line, i) => (i > 5000 && i <= 5150 ? `${line}  # changed` : line))],
    ["a block of 150 lines replaced", big.map((line, i) => (i > 5000 && i <= 5150 ? `print(${i})` : line))],
  ])("is fast in 10,000 lines: %s", async (_, now) => {
    expect(await leastCpuMs(50, () => mapLines(big, now), 60)).toBeLessThan(50);
  });
});
