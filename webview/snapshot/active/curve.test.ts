import { describe, expect, it } from "vitest";
import { stepPath } from "./curve.ts";

const x = (position: number) => 100 * position;
const y = (value: number) => 50 - value;
const path = (from: number, to: number) => stepPath([0, 0.2, 0.6, 0.8], [1, 5, 3, 4], { from, to }, x, y);

describe("a curve of steps", () => {
  it("has each value until the next, and ends where it was recorded until", () => {
    expect(path(0, 1)).toBe("M0,49H20V45H60V47H80V46H80");
  });

  it("begins and ends at the edges of what is seen", () => {
    expect(path(0.3, 0.7)).toBe("M30,45H60V47H70");
    expect(path(0.65, 0.7)).toBe("M65,47H70");
  });

  it("is nothing after its end", () => {
    expect(path(0.8, 1)).toBe("");
    expect(stepPath([], [], { from: 0, to: 1 }, x, y)).toBe("");
  });
});
