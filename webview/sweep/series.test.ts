import { describe, expect, it } from "vitest";
import { sweepOf } from "../../src/sweep/sweepOf.ts";
import { lineRuns, MIB, runAt } from "../../src/sweep/testing.ts";
import { domainOf, roomIsNear, seriesAlong, spreadLabels } from "./series.ts";

const ROOM = { available: 1_000 * MIB };
const devices = ["cpu", "cuda"].flatMap((device, i) =>
  lineRuns(100 + 50 * i, 5, [64, 16, 32], ROOM).map((run) => ({ ...run, values: { device, ...run.values } })),
);
const sweep = sweepOf({ id: "g", title: "train.py", runs: devices });

describe("what the plot of a sweep shows", () => {
  it("is a line for each combination of the other parameters, from small to large", () => {
    const series = seriesAlong(sweep, "batch", "rss");
    expect(series.map(({ name, label }) => [name, label])).toEqual([
      ["device cpu", "cpu"],
      ["device cuda", "cuda"],
    ]);
    expect(series[1]?.marks.map(({ x, peak }) => [x, peak.median / MIB])).toEqual([
      [16, 230],
      [32, 310],
      [64, 470],
    ]);
    expect(series[0]?.estimate).toMatchObject({ kind: "fits-up-to", largest: 180 });
  });

  it("reaches to the largest that fits, unless that is far out", () => {
    expect(domainOf(seriesAlong(sweep, "batch", "rss"))).toEqual([0, 180]);
    const far = sweepOf({ id: "g", title: "t", runs: lineRuns(10, 2, [16, 32, 64], ROOM) });
    expect(domainOf(seriesAlong(far, "batch", "rss"))).toEqual([0, 64]);
    const negative = sweepOf({ id: "g", title: "t", runs: lineRuns(100, 2, [-8, 4], ROOM) });
    expect(domainOf(seriesAlong(negative, "batch", "rss"))).toEqual([-8, 4]);
  });

  it("draws the room where the peaks come near it", () => {
    expect(roomIsNear(sweep.rooms.rss, sweep.points, "rss")).toBe(true);
    const small = [runAt({ batch: "1" }, { ...ROOM, peaks: { rss: 10 * MIB } })];
    const { rooms, points } = sweepOf({ id: "g", title: "t", runs: small });
    expect(roomIsNear(rooms.rss, points, "rss")).toBe(false);
    expect(roomIsNear(undefined, points, "rss")).toBe(false);
  });

  it.each([
    [
      [10, 50, 90],
      [10, 50, 90],
    ],
    [
      [50, 50, 50],
      [50, 66, 82],
    ],
    [
      [98, 99, 20],
      [84, 100, 20],
    ],
    [
      [2, 1, 3],
      [17, 1, 33],
    ],
  ])("labels beside lines that end at %j stand at %j", (heights, placed) => {
    expect(spreadLabels(heights, 16, 0, 100)).toEqual(placed);
  });
});
