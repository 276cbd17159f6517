import { describe, expect, test } from "vitest";
import { timeScale } from "./timeScale.ts";

const texts = (first: number, last: number, count: number): readonly string[] => {
  const { ticks, text } = timeScale(first, last, count);
  return ticks.map(text);
};

describe("the axis of times", () => {
  test.each([
    ["fractions of a millisecond", 0, 0.8, 4, ["0.0 ms", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms"]],
    ["milliseconds", 0, 900, 4, ["0 ms", "500 ms"]],
    [
      "fractions of seconds, with as many digits at each tick",
      0,
      2_400,
      5,
      ["0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s"],
    ],
    ["seconds", 0, 45_000, 5, ["0 s", "10 s", "20 s", "30 s", "40 s"]],
    ["minutes by halves", 0, 150_000, 5, ["0 s", "30 s", "1 min", "1 min 30 s", "2 min", "2 min 30 s"]],
    ["hours", 0, 5 * 3_600_000, 5, ["0 s", "1 h", "2 h", "3 h", "4 h", "5 h"]],
    ["time before the end", -45_000, 0, 3, ["-45 s", "-30 s", "-15 s", "0 s"]],
    ["days", 0, 72 * 3_600_000, 2, ["0 s", "48 h"]],
  ])("%s", (_, first, last, count, expected) => {
    expect(texts(first, last, count)).toEqual(expected);
  });

  test("a span of one moment is an axis too", () => {
    expect(texts(0, 0, 5)).toEqual(["0 s"]);
  });

  test("no two ticks read the same and there are no more than asked for", () => {
    for (let span = 0.01; span < 1e9; span *= 1.43)
      for (const count of [1, 2, 3, 5, 8]) {
        const found = texts(0, span, count);
        expect(new Set(found).size, `${span}, ${count}`).toBe(found.length);
        expect(found.length, `${span}, ${count}`).toBeLessThanOrEqual(count + 1);
      }
  });
});
