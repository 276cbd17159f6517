import { describe, expect, it } from "vitest";
import { changeWeights, difference } from "./difference.ts";
import { foldedDifference } from "./exports/folded.ts";
import type { FrameTree } from "./model.ts";
import { frameTreeOf, type View, viewOf } from "./tree/frameTree.ts";
import { ownParts, stackOf } from "./tree/treeShape.ts";
import { at, FACTS, randomTree } from "./tree/treeTesting.ts";

const VIEWS: readonly View[] = [
  { direction: "allocators-first", allFrames: true },
  { direction: "callers-first", allFrames: false },
];

/** Own bytes by the names of the stack. */
function ownByStack(tree: FrameTree, own = tree.self): Map<string, number> {
  const frames = tree.frames.map((frame) => JSON.stringify(frame.kind === "below-threshold" ? frame.kind : frame));
  return new Map(
    [...own.keys()]
      .filter((node) => own[node] !== 0)
      .map((node) => [
        stackOf(tree, node)
          .map((step) => frames[at(tree.frame, step)])
          .join(),
        at(own, node),
      ]),
  );
}

describe.each(VIEWS)("the difference of two snapshots, %o", (view) => {
  it("is the later one less the earlier one, stack by stack", () => {
    for (let seed = 0; seed < 40; seed++) {
      const before = viewOf(frameTreeOf(randomTree(seed, 150), FACTS), view);
      const after = viewOf(frameTreeOf(randomTree(seed + 1000, 150), FACTS), view);
      const result = difference(before, after);
      expect(ownByStack(result.tree, ownParts(result.tree, result.before))).toEqual(ownByStack(before));
      expect(ownByStack(result.tree, ownParts(result.tree, result.after))).toEqual(ownByStack(after));
      expect(result.before[0]).toBe(before.total[0]);
      for (const [node, total] of result.tree.total.entries()) {
        expect(total).toBe(at(result.after, node) - at(result.before, node));
      }
    }
  });

  it("of equal snapshots is nothing", () => {
    for (let seed = 0; seed < 20; seed++) {
      const tree = viewOf(frameTreeOf(randomTree(seed, 200), FACTS), view);
      const result = difference(tree, tree);
      expect(result.tree.total.every((bytes) => bytes === 0)).toBe(true);
      expect(changeWeights(result.tree)[0]).toBe(0);
      expect(ownByStack(result.tree, ownParts(result.tree, result.after))).toEqual(ownByStack(tree));
    }
  });
});

it("tells how many places are below the threshold after, and before where there are none after", () => {
  const labels = ["(heap …", "0x1: f (a.c:1)", "0x2: g (a.c:2)", "in 3 places, all below massif's threshold (1.00%)"];
  const more = [...labels, "in 7 places, all below massif's threshold (1.00%)"];
  const tree = (label: number[], parent: number[], bytes: number[], named = labels) =>
    frameTreeOf(
      {
        labels: named,
        label: Uint32Array.from(label),
        parent: Uint32Array.from(parent),
        bytes: Float64Array.from(bytes),
      },
      { python: new Map(), library: new Map() },
    );
  const before = tree([0, 1, 3, 2, 3], [0, 0, 1, 0, 3], [9, 4, 4, 5, 5]);
  const after = tree([0, 1, 4], [0, 0, 1], [8, 8, 8], more);
  const { tree: change } = difference(before, after);
  const places = change.frames.flatMap((frame) => (frame.kind === "below-threshold" ? [frame.places] : []));
  expect(places.sort()).toEqual([3, 7]);
});

it("weighs what grew and what shrank alike", () => {
  const labels = ["(heap …", "0x1: f (a.c:1)", "0x2: g (a.c:2)"];
  const leaves = (f: number, g: number) =>
    frameTreeOf(
      { labels, label: Uint32Array.of(0, 1, 2), parent: Uint32Array.of(0, 0, 0), bytes: Float64Array.of(f + g, f, g) },
      { python: new Map(), library: new Map() },
    );
  const change = difference(leaves(10, 1), leaves(3, 5));
  expect(change.tree.total).toEqual(Float64Array.of(-3, -7, 4));
  expect(changeWeights(change.tree)).toEqual(Float64Array.of(11, 7, 4));
  expect([...foldedDifference(change)].join("")).toBe("f (a.c:1) 10 3\ng (a.c:2) 1 5\n");
});
