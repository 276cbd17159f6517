import { describe, expect, it } from "vitest";
import { seeded } from "../../test/faults/support/random.ts";
import { changeOf, differenceOf, incomparable, measured, onlyOn, type Repeated } from "./noise.ts";

const one = (value: number, uncertain = 0): Repeated => ({ values: [value], uncertain });
const many = (...values: number[]): Repeated => ({ values, uncertain: 0 });
const FLOOR = 10;

describe("measured", () => {
  it.each([
    [[], undefined],
    [[5], { median: 5, runs: 1 }],
    [[9, 1, 5], { median: 5, spread: 8, runs: 3 }],
    [[1, 2, 4, 9], { median: 3, spread: 8, runs: 4 }],
    [[-3, -3], { median: -3, spread: 0, runs: 2 }],
  ])("of %o is %o", (values, expected) => {
    expect(measured(values)).toEqual(expected);
  });
});

describe("a difference", () => {
  it("of one run each has at least the noise that both leave uncertain, and says that it may be more", () => {
    const difference = differenceOf(one(100, 30), one(155, 20), FLOOR);
    expect(difference).toMatchObject({ verdict: "more", change: 55, noise: { amount: 50, known: false } });
    expect(differenceOf(one(100, 30), one(150, 20), FLOOR).verdict).toBe("same");
    expect(difference.before).toEqual({ median: 100, runs: 1 });
  });

  it("of repeats has the larger spread for noise", () => {
    expect(differenceOf(many(100, 101, 102), many(160, 200, 180), FLOOR)).toMatchObject({
      verdict: "more",
      change: 79,
      noise: { amount: 40, known: true },
    });
    expect(differenceOf(many(100, 101, 102), many(120, 160, 140), FLOOR).verdict).toBe("same");
  });

  it("of repeats and one run has both for noise, and does not know it", () => {
    expect(differenceOf(many(100, 130), one(120, 5), FLOOR).noise).toEqual({ amount: 30, known: false });
    expect(differenceOf(many(100, 101), one(120, 50), FLOOR).noise).toEqual({ amount: 50, known: false });
  });

  it("is never told below the floor, whatever the repeats say", () => {
    expect(differenceOf(many(100, 100, 100), many(110, 110, 110), FLOOR)).toMatchObject({
      verdict: "same",
      change: 10,
      noise: { amount: 10, known: true },
    });
    expect(differenceOf(many(100, 100, 100), many(89, 89, 89), FLOOR).verdict).toBe("less");
  });

  it("is unknown where a side is not measured, or measures something else", () => {
    expect(differenceOf(many(), one(5), FLOOR)).toEqual({
      verdict: "unknown",
      after: { median: 5, runs: 1 },
      noise: { amount: 10, known: false },
    });
    expect(incomparable(one(5), one(500))).toEqual({
      verdict: "unknown",
      before: { median: 5, runs: 1 },
      after: { median: 500, runs: 1 },
      noise: { amount: 0, known: false },
    });
  });

  it("never calls a change what is no larger than the noise", () => {
    const random = seeded(11).below;
    const figure = (): Repeated => ({
      values: Array.from({ length: 1 + random(5) }, () => random(200) - 100),
      uncertain: random(40),
    });
    for (let round = 0; round < 500; round++) {
      const [before, after] = [figure(), figure()];
      const forth = differenceOf(before, after, FLOOR);
      const back = differenceOf(after, before, FLOOR);
      expect(Math.abs(forth.change ?? 0) > forth.noise.amount).toBe(forth.verdict !== "same");
      expect(forth.noise.amount).toBeGreaterThanOrEqual(
        Math.max(FLOOR, forth.before?.spread ?? 0, forth.after?.spread ?? 0),
      );
      expect(back.change).toBe(0 - (forth.change ?? 0));
      expect(back.noise).toEqual(forth.noise);
      expect(changeOf(back) ?? 0).toBe(0 - (changeOf(forth) ?? 0));
    }
  });
});

describe("what changed", () => {
  it("of something that is new or gone is all of it, where it is more than the noise", () => {
    expect(changeOf(onlyOn("after", one(50), FLOOR))).toBe(50);
    expect(changeOf(onlyOn("before", one(50), FLOOR))).toBe(-50);
    expect(changeOf(onlyOn("after", one(10), FLOOR))).toBeUndefined();
    expect(changeOf(onlyOn("after", one(50, 60), FLOOR))).toBeUndefined();
    expect(changeOf(onlyOn("after", many(40, 90, 60), FLOOR))).toBe(60);
    expect(onlyOn("before", many(), FLOOR)).toEqual({ verdict: "unknown", noise: { amount: 10, known: false } });
  });
  it("is not told where nothing did, or nobody knows", () => {
    expect(changeOf(differenceOf(one(5), one(5), FLOOR))).toBeUndefined();
    expect(changeOf(incomparable(one(5), one(500)))).toBeUndefined();
  });
});
