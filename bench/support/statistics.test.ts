import { describe, expect, it } from "vitest";
import { difference, growth, isBelowNoise, noiseOf, summary } from "./statistics.ts";

describe("a summary", () => {
  it("is the median, the ends and half the range between the quartiles", () => {
    expect(summary([5, 1, 4, 2, 3])).toEqual({ median: 3, least: 1, most: 5, spread: 1, rounds: 5 });
    expect(summary([1, 2, 3, 4])).toMatchObject({ median: 2.5, spread: 0.75 });
  });

  it("of one round has no spread, of none is none", () => {
    expect(summary([7])).toMatchObject({ median: 7, spread: 0, rounds: 1 });
    expect(summary([])).toBeUndefined();
  });

  it("is not moved by one round that was disturbed", () => {
    expect(summary([1, 1, 1, 1, 100])).toMatchObject({ median: 1, spread: 0 });
  });
});

describe("a difference", () => {
  it("is taken round by round, as a slow moment slows both", () => {
    expect(difference([1, 10, 2], [1.5, 10.5, 2.5])).toMatchObject({ median: 0.5, spread: 0 });
  });

  it("is of the medians where they did not run as often", () => {
    const found = difference([1, 2, 3, 4, 5], [10]);
    expect(found).toEqual({ median: 7, spread: 1 });
    expect(difference([], [1])).toBeUndefined();
  });
});

describe("noise", () => {
  it("hides what does not stand out of the spread, and what is negative", () => {
    expect(isBelowNoise({ median: 0.1, spread: 0.2 })).toBe(true);
    expect(isBelowNoise({ median: -3, spread: 0.2 })).toBe(true);
    expect(isBelowNoise({ median: 0.3, spread: 0.2 })).toBe(false);
  });

  it("reaches as far as the figure or its spread", () => {
    expect(noiseOf({ median: 0.1, spread: 0.2 })).toBe(0.2);
    expect(noiseOf({ median: -3, spread: 0.2 })).toBe(3);
  });
});

describe("growth", () => {
  const of = (median: number, spread = 0) => ({ median, spread, least: median, most: median, rounds: 3 });

  it("is the power of the work", () => {
    expect(growth([1000, 10_000], of(1), of(10)).exponent).toBeCloseTo(1);
    expect(growth([1000, 100_000], of(1), of(10)).exponent).toBeCloseTo(0.5);
  });

  it("of n log n is allowed, and no more", () => {
    expect(growth([1000, 10_000], of(1), of((10 * 4) / 3)).verdict).toBe("at most n log n");
    expect(growth([1000, 10_000], of(1), of(14)).verdict).toBe("faster than n log n");
    expect(growth([1000, 10_000], of(1), of(100))).toMatchObject({ exponent: 2, verdict: "faster than n log n" });
  });

  it("is not blamed for what the noise can be", () => {
    expect(growth([1000, 10_000], of(1, 0.1), of(14, 0.5)).verdict).toBe("at most n log n");
  });
});
