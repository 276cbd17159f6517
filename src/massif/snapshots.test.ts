import { expect, it } from "vitest";
import type { Snapshot } from "./model.ts";
import { lastPlace, peakPlace, snapshotNames, snapshotTotal } from "./snapshots.ts";

const tree = (kind: "detailed" | "peak") => ({ kind, nodes: 1, start: 0, end: 1 }) as const;
const snapshot = (number: number, heap: number, kind?: "detailed" | "peak"): Snapshot => ({
  number,
  time: number,
  heap,
  extra: 8,
  stacks: 1,
  tree: kind === undefined ? { kind: "none" } : tree(kind),
});

it("takes the marked peak, the largest of several, and else the largest with a tree", () => {
  expect(peakPlace([snapshot(0, 5, "detailed"), snapshot(1, 3, "peak"), snapshot(2, 9)])).toBe(1);
  expect(peakPlace([snapshot(0, 3, "peak"), snapshot(1, 4, "peak"), snapshot(2, 9, "detailed")])).toBe(1);
  expect(peakPlace([snapshot(0, 5, "detailed"), snapshot(1, 7, "detailed"), snapshot(2, 9)])).toBe(1);
  expect(peakPlace([snapshot(0, 5)])).toBeUndefined();
  expect(lastPlace([snapshot(0, 5, "peak"), snapshot(1, 7, "detailed"), snapshot(2, 9)])).toBe(1);
  expect(lastPlace([snapshot(0, 5)])).toBeUndefined();
});

it("calls snapshots by their numbers unless these repeat", () => {
  expect(snapshotNames([snapshot(4, 1), snapshot(7, 1)])).toEqual([4, 7]);
  expect(snapshotNames([snapshot(4, 1), snapshot(4, 1)])).toEqual([0, 1]);
});

it("adds up what massif counts", () => {
  expect(snapshotTotal(snapshot(0, 5))).toBe(14);
});
