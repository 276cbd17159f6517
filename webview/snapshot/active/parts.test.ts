import { describe, expect, it } from "vitest";
import { partBoxes, placedParts, rowsOf } from "./parts.ts";

const rows = (...parts: Parameters<typeof placedParts>[0]) =>
  placedParts(parts).map(({ part, row }) => [part.name, row] as const);

describe("the rows of the program's parts", () => {
  it("have what lies within another below it, and what comes after beside it", () => {
    const parts = [
      { name: "step", from: 0, to: 10 },
      { name: "forward", from: 0, to: 4 },
      { name: "loss", from: 3, to: 4 },
      { name: "backward", from: 4, to: 10 },
      { name: "next", from: 10 },
    ];
    expect(rows(...parts)).toEqual([
      ["step", 0],
      ["forward", 1],
      ["loss", 2],
      ["backward", 1],
      ["next", 0],
    ]);
    expect(rowsOf(placedParts(parts))).toBe(3);
  });

  it("never lie over each other where parts of several threads cross", () => {
    expect(rows({ name: "a", from: 0, to: 5 }, { name: "b", from: 3, to: 8 }, { name: "c", from: 6, to: 7 })).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 2],
    ]);
  });

  it("are three at most, and none without parts", () => {
    const deep = Array.from({ length: 5 }, (_, depth) => ({ name: String(depth), from: depth, to: 20 - depth }));
    expect(rows(...deep)).toHaveLength(3);
    expect(rowsOf(placedParts([]))).toBe(0);
  });
});

describe("what is drawn of a part", () => {
  const x = (moment: number) => 100 + 10 * moment;
  const drawn = (...parts: Parameters<typeof placedParts>[0]) => partBoxes(placedParts(parts), x, 100, 300);

  it("reaches to the edges where it began before or goes on, and has as much of its name as there is room for", () => {
    expect(
      drawn({ name: "before", to: 5 }, { name: "a rather long name", from: 6, to: 12 }, { name: "on", from: 15 }),
    ).toEqual([
      { row: 0, x: 100, width: 60, words: "before" },
      { row: 0, x: 170, width: 60, words: "a rath…" },
      { row: 0, x: 260, width: 40, words: "on" },
    ]);
  });

  it("is nothing where it is not seen, and thousands of narrow ones are few", () => {
    expect(drawn({ name: "out", from: 21, to: 30 })).toEqual([]);
    const many = Array.from({ length: 20_000 }, (_, i) => ({ name: "x", from: i / 1000, to: (i + 1) / 1000 }));
    const boxes = drawn(...many);
    expect(boxes.length).toBeLessThanOrEqual(100);
    expect(boxes.every(({ words }) => words === "")).toBe(true);
  });

  it("has no control characters of its name", () => {
    expect(drawn({ name: "st\u0000ep\u202e", from: 0 })[0]?.words).toBe("st?ep?");
  });
});
