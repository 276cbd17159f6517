import { describe, expect, test } from "vitest";
import { bandsOf, stretches, timeSpan } from "./stack.ts";

const at = (...times: readonly number[]) => times.map((t, index) => ({ t, index }));

describe("bands of the stack", () => {
  test("lie on one another from the run up to what is free", () => {
    const bands = bandsOf({ run: 10, gpu: 20, others: 30, kernel: 5, cache: 15, free: 20 });
    expect(bands.run).toEqual({ low: 0, high: 10 });
    expect(bands.kernel).toEqual({ low: 60, high: 65 });
    expect(bands.free).toEqual({ low: 80, high: 100 });
  });

  test("a group that could not be read takes no room", () => {
    const bands = bandsOf({ run: 10, gpu: undefined, others: 30, kernel: 5, cache: 15, free: 20 });
    expect(bands.gpu).toEqual({ low: 10, high: 10 });
    expect(bands.others.low).toBe(10);
  });
});

describe("stretches without a hole", () => {
  test("a board that was silent for a while leaves a gap", () => {
    const found = stretches(at(0, 1000, 2000, 3000, 60_000, 61_000), 1000);
    expect(found.map((points) => points.map(({ t }) => t))).toEqual([
      [0, 1000, 2000, 3000],
      [60_000, 61_000],
    ]);
  });

  test("records at once between two seconds, a late one and a thinned timeline leave none", () => {
    expect(stretches(at(0, 1000, 1010, 1020, 2000, 4500), 1000)).toHaveLength(1);
    const thinned = [0, 17, 34, 35, 70].map((index) => ({ t: index * 1000, index }));
    expect(stretches(thinned, 1000)).toHaveLength(1);
  });

  test("a watch whose records come half as often later has no gaps", () => {
    const times = [...Array.from({ length: 100 }, (_, i) => i * 1000), 102_000, 106_000, 110_000, 114_000];
    expect(stretches(at(...times), 1000)).toHaveLength(1);
  });

  test("one point and none", () => {
    expect(stretches(at(5), 1000)).toEqual([[{ t: 5, index: 0 }]]);
    expect(stretches([], 1000)).toEqual([]);
  });
});

describe("axes", () => {
  test("time goes from the first moment to the last, and a live one has a minute at least", () => {
    expect(timeSpan(at(-14, 8000), false)).toEqual([-14, 8000]);
    expect(timeSpan(at(0, 8000), true)).toEqual([0, 60_000]);
    expect(timeSpan(at(0, 90_000), true)).toEqual([0, 90_000]);
    expect(timeSpan([], false)).toEqual([0, 1]);
  });
});
