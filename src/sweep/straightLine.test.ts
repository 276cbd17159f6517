import { describe, expect, it } from "vitest";
import { seeded } from "../../test/faults/support/random.ts";
import { fitLine, largestWithin, type Measurement } from "./straightLine.ts";
import { MIB } from "./testing.ts";

const on = (xs: readonly number[], y: (x: number) => number): Measurement[] => xs.map((x) => ({ x, y: y(x) * MIB }));
const lineOf = (measurements: readonly Measurement[]) => {
  const fit = fitLine(measurements);
  if (fit.kind === "none") throw new Error(fit.reason);
  return fit.line;
};

describe("a straight line through peaks", () => {
  it("finds a known line, and the largest value on it", () => {
    const measurements = on([16, 32, 64], (x) => 400 + 5 * x);
    const line = lineOf(measurements);
    expect(line.slope).toBeCloseTo(5 * MIB, 0);
    expect(line.fixed).toBeCloseTo(400 * MIB, 0);
    expect(line.misfit).toBeLessThan(1);
    expect(largestWithin(line, measurements, 1_000 * MIB)).toBeCloseTo(120, 3);
    expect(largestWithin(line, measurements, 600 * MIB)).toBeCloseTo(40, 3);
  });

  it("is none where it would be below 0 at 0, as of memory that grows faster than a line", () => {
    expect(fitLine(on([100, 102, 104], (x) => x * x)).kind).toBe("none");
    expect(fitLine(on([1, 2, 3], (x) => 60 * x)).kind).toBe("line");
  });

  it("finds lines with noise as exactly as the noise allows", () => {
    const random = seeded(7).next;
    for (let trial = 0; trial < 500; trial++) {
      const [fixed, each] = [1_000 * random(), 1 + 20 * random()];
      const xs = Array.from({ length: 3 + Math.floor(5 * random()) }, (_, i) => (i + 1) * 8);
      const noise = 0.01 * each * (Math.max(...xs) - 8);
      const measurements = on(xs, (x) => fixed + each * x + noise * (2 * random() - 1));
      const line = lineOf(measurements);
      const mean = xs.reduce((sum, x) => sum + x, 0) / xs.length;
      const square = xs.reduce((sum, x) => sum + (x - mean) ** 2, 0);
      const bound = (noise * xs.reduce((sum, x) => sum + Math.abs(x - mean), 0)) / square;
      expect(Math.abs(line.slope / MIB - each)).toBeLessThanOrEqual(bound + 1e-6);
      expect(line.misfit / MIB).toBeLessThanOrEqual(2 * noise + 1e-6);
    }
  });

  it("is careful: what it says fits has the misfit to spare, and more the further away it is", () => {
    const random = seeded(11).next;
    for (let trial = 0; trial < 500; trial++) {
      const each = 1 + 20 * random();
      const measurements = on([8, 16, 24, 32], (x) => 100 + each * x + 0.01 * each * 24 * (2 * random() - 1));
      const line = lineOf(measurements);
      const room = (100 + each * 32 * (0.5 + 3 * random())) * MIB;
      const largest = largestWithin(line, measurements, room);
      const distance = Math.max(0, largest - 32) / 24;
      const spare = room - line.fixed - line.slope * largest;
      expect(spare / line.misfit).toBeCloseTo(1 + 2 * distance, 3);
    }
  });

  it.each([
    ["grows with the square", (x: number) => 100 + 0.1 * x * x],
    ["grows with the root", (x: number) => 100 + 50 * Math.sqrt(x)],
    ["is made of steps", (x: number) => (x > 20 ? 900 : 100)],
    ["grows, then stays", (x: number) => Math.min(500, 10 * x)],
  ])("is none where the peak %s", (_what, y) => {
    for (const xs of [
      [16, 32, 64],
      [8, 16, 32, 64, 128],
      [10, 20, 30, 40, 60, 70],
    ]) {
      expect(fitLine(on(xs, y))).toEqual({ kind: "none", reason: expect.stringContaining("straight line") });
    }
  });

  it.each([
    ["stays the same", (_x: number) => 300],
    ["falls", (x: number) => 1_000 - x],
    ["grows by less than any two runs differ by", (x: number) => 300 + 0.01 * x],
  ])("is none where the peak %s", (_what, y) => {
    expect(fitLine(on([16, 32, 64], y))).toEqual({ kind: "none", reason: expect.stringContaining("does not grow") });
  });

  it("is none where repeats differ by as much as the peak grows", () => {
    const measurements = on([16, 32, 64], (x) => 300 + x).map((one) => ({ ...one, spread: 40 * MIB }));
    expect(fitLine(measurements)).toEqual({ kind: "none", reason: expect.stringContaining("does not grow") });
  });

  it("is none through fewer than three values, however often they ran", () => {
    expect(fitLine(on([16, 32], (x) => x)).kind).toBe("none");
    expect(fitLine(on([16, 16, 32], (x) => x)).kind).toBe("none");
  });
});
