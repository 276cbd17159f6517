import { describe, expect, it } from "vitest";
import { fold } from "./folding.ts";

const options = { context: 2, whole: 10, room: 1000, cost: () => 1 };
const at = (...lines: readonly number[]) => lines.map((line) => ({ line, weight: line }));

describe("which lines of a source are shown", () => {
  it("shows a short file whole", () => {
    expect(fold(8, at(3), options).stretches).toEqual([{ from: 1, to: 8 }]);
  });

  it("shows measured lines of a long one with the lines around them, as one stretch where they touch", () => {
    expect(fold(100, at(1, 50, 53, 100), options).stretches).toEqual([
      { from: 1, to: 3 },
      { from: 48, to: 55 },
      { from: 98, to: 100 },
    ]);
  });

  it("gives the heaviest lines the room, and says what is left and how heavy it may be", () => {
    const folded = fold(100, at(10, 20, 30, 40), { ...options, room: 10 });
    expect(folded.stretches).toEqual([
      { from: 28, to: 32 },
      { from: 38, to: 42 },
    ]);
    expect(folded).toMatchObject({ taken: 10, left: { lines: 2, heaviest: 20 } });
  });

  it("shows a line alone where there is no room for those around it", () => {
    expect(fold(100, at(50), { ...options, room: 3 }).stretches).toEqual([{ from: 50, to: 50 }]);
  });

  it("shows nothing without room, and takes more for longer lines", () => {
    expect(fold(100, at(50), { ...options, room: 0 })).toMatchObject({ stretches: [], left: { lines: 1 } });
    expect(fold(100, at(50), { ...options, cost: (line) => line }).taken).toBe(250);
  });
});
