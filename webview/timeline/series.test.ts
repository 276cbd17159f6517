import { expect, describe as group, test } from "vitest";
import {
  coverage,
  describe,
  inOrder,
  missedPeak,
  moveCursor,
  nearest,
  peakBytes,
  peakIndex,
  peakMoment,
  stretches,
} from "./series.ts";

const MIB = 1024 * 1024;
const samples = [
  { t: 0, rss: 10 * MIB },
  { t: 200, rss: 40 * MIB, memAvailable: 900 * MIB, at: { path: "train.py", line: 3 } },
  { t: 400 },
  { t: 600, rss: 30 * MIB, memAvailable: 910 * MIB },
];

group("samples", () => {
  test("are put in the order of time, and a moment that comes twice counts once, the last time", () => {
    expect(inOrder([{ t: 400 }, { t: 0, rss: 1 }, { t: 0, rss: 2 }])).toEqual([{ t: 0, rss: 2 }, { t: 400 }]);
  });

  test("the nearest one to a time is found, also outside the run", () => {
    expect(
      [-50, 90, 110, 501, 9_999].map((t) =>
        nearest(
          samples.map(({ t: moment }) => moment),
          t,
        ),
      ),
    ).toEqual([0, 0, 1, 3, 3]);
    expect(nearest([], 5)).toBe(-1);
  });

  test("the peak passes over what was not read", () => {
    expect(peakIndex(samples)).toBe(1);
    expect(peakIndex([{ t: 0 }, { t: 1 }])).toBe(-1);
    expect(peakIndex([])).toBe(-1);
  });

  test("a peak that no sample shows is known from the run", () => {
    expect(missedPeak({ samples, rssPeak: 50 * MIB })).toBe(50 * MIB);
    expect(missedPeak({ samples, rssPeak: 40 * MIB })).toBeUndefined();
    expect(missedPeak({ samples })).toBeUndefined();
    expect(missedPeak({ samples: [], rssPeak: MIB })).toBe(MIB);
  });

  test("the run's peak is one figure, whether a sample shows it or not", () => {
    expect(peakBytes({ samples, rssPeak: 50 * MIB })).toBe(50 * MIB);
    expect(peakBytes({ samples })).toBe(40 * MIB);
    expect(peakBytes({ samples, rssPeak: 39 * MIB })).toBe(40 * MIB);
    expect(peakBytes({ samples: [], rssPeak: MIB })).toBe(MIB);
    expect(peakBytes({ samples: [] })).toBeUndefined();
  });

  test("the moment of a peak that no sample shows is the first after it", () => {
    const peakReached = { after: 400, until: 600 };
    expect(peakMoment({ samples, rssPeak: 50 * MIB, peakReached })).toBe(3);
    expect(peakMoment({ samples, rssPeak: 40 * MIB, peakReached })).toBe(1);
    expect(peakMoment({ samples, rssPeak: 50 * MIB })).toBe(1);
    expect(peakMoment({ samples: [], rssPeak: MIB, peakReached })).toBe(-1);
    expect(peakMoment({ samples, rssPeak: 50 * MIB, peakReached: { after: 200, until: 300 } })).toBe(1);
  });

  test("what was read of a metric is told apart", () => {
    expect(coverage(samples, "rss")).toBe("some");
    expect(coverage([{ t: 0 }], "memAvailable")).toBe("none");
    expect(coverage([{ t: 0, rss: 1 }], "rss")).toBe("all");
  });

  test("moments one after another at which the same line ran are one stretch", () => {
    const at = (line: number) => ({ path: "train.py", line });
    const told = [{ t: 0, at: at(3) }, { t: 1, at: at(3) }, { t: 2, at: at(4) }, { t: 3 }, { t: 4, at: at(4) }];
    expect(stretches(told)).toEqual([
      { first: 0, last: 1, text: "train.py:3" },
      { first: 2, last: 2, text: "train.py:4" },
      { first: 4, last: 4, text: "train.py:4" },
    ]);
    expect(stretches([{ t: 0 }])).toEqual([]);
  });

  test("a missing figure is said to be not read, never zero", () => {
    expect(describe(samples[1] ?? { t: 0 })).toBe("200 ms · RSS 40.0 MiB · available 900.0 MiB · train.py, line 3");
    expect(describe({ t: 0, rss: 2 ** 20 }, "memory")).toBe(
      "0 s · memory 1.0 MiB · available not read · line not known",
    );
    expect(describe({ t: 1_500 })).toBe("1.5 s · RSS not read · available not read · line not known");
  });
});

group("the cursor", () => {
  test("stays inside the samples", () => {
    expect(moveCursor("ArrowLeft", 0, 4, 1)).toBe(0);
    expect(moveCursor("ArrowRight", -1, 4, 1)).toBe(0);
    expect(moveCursor("ArrowRight", 3, 4, 1)).toBe(3);
    expect(moveCursor("End", 0, 4, 1)).toBe(3);
    expect(moveCursor("Home", 3, 4, 1)).toBe(0);
    expect(moveCursor("PageDown", 0, 400, 1)).toBe(20);
  });

  test("finds the peak, and leaves other keys and empty runs alone", () => {
    expect(moveCursor("P", 0, 4, 1)).toBe(1);
    expect(moveCursor("p", 2, 4, -1)).toBe(2);
    expect(moveCursor("x", 2, 4, 1)).toBeUndefined();
    expect(moveCursor("End", -1, 0, -1)).toBeUndefined();
  });
});
