import { describe, expect, test } from "vitest";
import { roundedSizeScale, sizeScale, withTop } from "./sizeScale.ts";

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const texts = (low: number, high: number, count: number): readonly string[] => {
  const { ticks, text } = sizeScale(low, high, count);
  return ticks.map(text);
};

describe("the axis of sizes", () => {
  test.each([
    ["bytes", 900, 4, ["0 B", "500 B"]],
    ["a few bytes, none of them halved", 3, 8, ["0 B", "1 B", "2 B", "3 B"]],
    ["KiB below 2 MiB", 1.5 * MIB, 4, ["0 KiB", "500 KiB", "1000 KiB", "1500 KiB"]],
    ["MiB, with as many digits at each tick", 2.2 * MIB, 4, ["0 MiB", "1 MiB", "2 MiB"]],
    ["halves of MiB", 2.5 * MIB, 5, ["0.0 MiB", "0.5 MiB", "1.0 MiB", "1.5 MiB", "2.0 MiB", "2.5 MiB"]],
    ["a Nano’s RAM in MiB", 3964 * MIB, 4, ["0 MiB", "1000 MiB", "2000 MiB", "3000 MiB"]],
    ["GiB where MiB would have five digits", 64 * GIB, 4, ["0 GiB", "20 GiB", "40 GiB", "60 GiB"]],
  ])("%s", (_, high, count, expected) => {
    expect(texts(0, high, count)).toEqual(expected);
  });

  test("a range that begins below 0, or above it, has its ticks within itself", () => {
    expect(texts(-120 * MIB, 260 * MIB, 4)).toEqual(["-100 MiB", "0 MiB", "100 MiB", "200 MiB"]);
    expect(texts(110 * MIB, 260 * MIB, 3)).toEqual(["150 MiB", "200 MiB", "250 MiB"]);
  });

  test("a rounded one goes up to the next tick at or above the highest", () => {
    const { ticks, top, text } = roundedSizeScale(1585.2 * MIB, 4);
    expect(top).toBe(2000 * MIB);
    expect(ticks.map(text)).toEqual(["0 MiB", "500 MiB", "1000 MiB", "1500 MiB", "2000 MiB"]);
    expect(roundedSizeScale(1500 * MIB, 3).top).toBe(1500 * MIB);
    for (let size = 1; size < 100 * GIB; size *= 1.37)
      for (const count of [1, 2, 5]) {
        const found = roundedSizeScale(size, count);
        expect(found.top).toBeGreaterThanOrEqual(size);
        expect(found.ticks.at(-1), `${size}, ${count}`).toBeCloseTo(found.top, 0);
      }
  });

  test("nothing measured is an axis too", () => {
    expect(texts(0, 0, 4)).toEqual(["0 B"]);
  });

  test("no two ticks read the same, none has another unit or other digits, and there are no more than asked for", () => {
    for (let size = 1; size < 100 * GIB; size *= 1.37)
      for (const count of [1, 2, 3, 4, 5, 8, 13]) {
        const found = texts(0, size, count);
        expect(new Set(found).size, `${size}, ${count}`).toBe(found.length);
        expect(found.length, `${size}, ${count}`).toBeLessThanOrEqual(count + 1);
        expect(
          new Set(found.map((text) => text.replace(/^\d+(\.\d)?/, (number) => (number.includes(".") ? "0.0" : "0"))))
            .size,
          found.join(),
        ).toBe(1);
      }
  });

  test("the text has the number that the tick is at", () => {
    for (let size = 1; size < 100 * GIB; size *= 1.61) {
      const { ticks, text } = sizeScale(0, size, 6);
      for (const tick of ticks) {
        const [number, unit] = text(tick).split(" ");
        const bytes = { B: 1, KiB: 2 ** 10, MiB: MIB, GiB: GIB }[unit as "B"];
        expect(Number(number) * bytes).toBeCloseTo(tick, 0);
      }
    }
  });

  test("a board’s whole RAM is the tick at the top, and one just below it goes", () => {
    const { ticks, text } = sizeScale(0, 3964 * MIB, 8);
    expect(withTop(ticks, 3964 * MIB).map(text)).toEqual([
      "0 MiB",
      "500 MiB",
      "1000 MiB",
      "1500 MiB",
      "2000 MiB",
      "2500 MiB",
      "3000 MiB",
      "3500 MiB",
      "3964 MiB",
    ]);
    expect(withTop([0, 1000, 2000], 2050)).toEqual([0, 1000, 2050]);
  });
});
