import { describe, expect, test } from "vitest";
import { chosenByKey, type Moments, placeOf } from "./choice.ts";

/** A record a second; the first is the baseline, the sixth the peak. */
const moments: Moments = { size: 100, baseline: 0, peak: () => 5, at: (t) => Math.round(t / 1000) };
const none: Moments = { size: 0, baseline: undefined, peak: () => undefined, at: () => undefined };
const watched: Moments = { ...moments, baseline: undefined, peak: () => undefined };

describe("the moment shown", () => {
  test("follows the newest or the peak, or stays at its time", () => {
    expect(placeOf("newest", moments)).toBe(99);
    expect(placeOf("peak", moments)).toBe(5);
    expect(placeOf(7_000, moments)).toBe(7);
  });

  test("is the newest while no peak is known", () => {
    expect(placeOf("peak", watched)).toBe(99);
  });

  test("is none before the first record", () => {
    expect([placeOf("newest", none), placeOf("peak", none), placeOf(0, none)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("the keys of the chart", () => {
  test.each([
    ["ArrowLeft", 9],
    ["ArrowRight", 11],
    ["PageUp", 15],
    ["PageDown", 5],
    ["Home", 0],
    ["End", 99],
    ["b", 0],
    ["B", 0],
    ["p", "peak"],
    ["x", undefined],
  ] as const)("%s leads from the tenth moment to %s", (key, place) => {
    expect(chosenByKey(key, 10, moments)).toBe(place);
  });

  test("stop at both ends", () => {
    expect(chosenByKey("ArrowLeft", 0, moments)).toBe(0);
    expect(chosenByKey("PageUp", 98, moments)).toBe(99);
  });

  test("do nothing where there is no baseline, no peak or no moment at all", () => {
    expect(chosenByKey("b", 10, watched)).toBeUndefined();
    expect(chosenByKey("p", 10, watched)).toBeUndefined();
    expect(chosenByKey("End", 0, none)).toBeUndefined();
  });
});
