import { describe, expect, it } from "vitest";
import { folded } from "../exports/folded.ts";
import type { CallTree, FrameTree, PythonPlace } from "../model.ts";
import { callersFirst, foldInterpreter, frameTreeOf, viewOf } from "./frameTree.ts";
import { childrenOf, depths, subtreeEnds } from "./treeShape.ts";
import { at, FACTS, foldedMap, type KnownStack, listStacks, randomTree, withoutInterpreter } from "./treeTesting.ts";

const SEEDS = [...Array(60).keys()];
const NONE = { python: new Map(), library: new Map() };

/** Bytes by folded stack; all places below the threshold are one name. */
function foldedStacks(tree: FrameTree): Map<string, number> {
  const sums = new Map<string, number>();
  for (const line of [...folded(tree)].join("").split("\n").slice(0, -1)) {
    const [, stack = "", bytes] =
      /^(.*) (\d+)$/.exec(line.replaceAll(/below threshold \(\d+ places?\)/g, "below threshold")) ?? [];
    expect(sums.has(stack), stack).toBe(false);
    sums.set(stack, Number(bytes));
  }
  return sums;
}

function expectWellFormed(tree: FrameTree): void {
  const ends = subtreeEnds(tree);
  const inOrder = [...tree.parent.keys()].every((node) => {
    const siblings = childrenOf(ends, node);
    const frames = new Set(siblings.map((child) => tree.frame[child]));
    const totals = siblings.map((child) => at(tree.total, child));
    return (
      siblings.every((child) => tree.parent[child] === node) &&
      frames.size === siblings.length &&
      totals.every((total, place) => place === 0 || total <= at(totals, place - 1))
    );
  });
  expect(inOrder).toBe(true);
  expect(tree.total[0]).toBe(tree.self.reduce((sum, bytes) => sum + bytes, 0));
}

const reversed = (stack: KnownStack): KnownStack => ({ ...stack, frames: [...stack.frames].reverse() });

describe("a frame tree of random massif trees", () => {
  it.each(SEEDS)("has the stacks of seed %d in every view", (seed) => {
    const calls = randomTree(seed, 20 + seed * 4);
    const stacks = listStacks(calls);
    const tree = frameTreeOf(calls, FACTS);
    expect(foldedStacks(tree)).toEqual(foldedMap(stacks));
    for (const allFrames of [true, false]) {
      const kept = allFrames ? stacks : stacks.map(withoutInterpreter);
      const inner = viewOf(tree, { direction: "allocators-first", allFrames });
      const outer = viewOf(tree, { direction: "callers-first", allFrames });
      expect(foldedStacks(inner)).toEqual(foldedMap(kept));
      expect(foldedStacks(outer)).toEqual(foldedMap(kept.map(reversed)));
      for (const view of [inner, outer]) {
        expectWellFormed(view);
        expect(view.total[0]).toBe(calls.bytes[0]);
      }
    }
  });

  it.each(SEEDS)("folds to the same whichever end is next to the root, seed %d", (seed) => {
    const tree = frameTreeOf(randomTree(seed, 200), FACTS);
    expect(foldedStacks(foldInterpreter(callersFirst(tree)))).toEqual(
      foldedStacks(callersFirst(foldInterpreter(tree))),
    );
  });

  it("counts every place below the threshold, and merges them per parent", () => {
    for (const seed of SEEDS) {
      const calls = randomTree(seed, 300);
      const tree = callersFirst(frameTreeOf(calls, FACTS));
      const expected = listStacks(calls).reduce((sum, { frames }) => sum + (frames.at(-1)?.places ?? 0), 0);
      const nodes = [...tree.frame.keys()].filter(
        (node) => tree.frames[at(tree.frame, node)]?.kind === "below-threshold",
      );
      expect(nodes.length).toBe(expected > 0 ? 1 : 0);
      const frame = tree.frames[tree.frame[nodes[0] ?? 0] ?? 0];
      if (frame?.kind === "below-threshold")
        expect(frame).toEqual({ kind: "below-threshold", places: expected, percent: 1 });
    }
  });
});

function chain(labels: readonly string[], bytes = 1): CallTree {
  return {
    labels,
    label: Uint32Array.from(labels.keys()),
    parent: Uint32Array.from(labels.keys(), (node) => Math.max(0, node - 1)),
    bytes: new Float64Array(labels.length).fill(bytes),
  };
}

describe("a frame tree", () => {
  it("is the root alone where nothing was allocated", () => {
    const tree = frameTreeOf(chain(["(heap allocation functions) malloc/new/new[], --alloc-fns, etc."], 0), NONE);
    expect(tree).toMatchObject({ frames: [{ kind: "all" }], total: new Float64Array([0]) });
    expect(viewOf(tree, { direction: "callers-first", allFrames: false }).frame.length).toBe(1);
  });

  it("keeps bytes of which massif says nothing at the root", () => {
    const tree = frameTreeOf(chain(["(heap allocation functions) …"], 70), NONE);
    expect([...folded(viewOf(tree, { direction: "callers-first", allFrames: false }))]).toEqual(["[unknown] 70\n"]);
  });

  it("takes a label's library from its address where the label names none", () => {
    const tree = frameTreeOf(chain(["(heap …", "0x7: ???", "0x8: f (a.c:3)"]), {
      python: new Map(),
      library: new Map([[1, "/usr/lib/libcuda.so.1"]]),
    });
    expect(tree.frames).toEqual([
      { kind: "all" },
      { kind: "native", library: "/usr/lib/libcuda.so.1", interpreter: false },
      { kind: "native", function: "f", source: "a.c:3", interpreter: false },
    ]);
  });

  it("leaves Python's import system out of stacks with other Python frames only", () => {
    const labels = ["(heap …", "0x1: strdup (in /lib/libx.so)", "0x2: py_00001 (in p.so)", "0x3: py_00002 (in p.so)"];
    const imports = {
      path: "<frozen importlib._bootstrap>",
      line: 9,
      function: "_find_and_load",
      kind: "function",
    } as const;
    const script = { path: "train.py", line: 1, function: "<module>", kind: "line" } as const;
    const view = { direction: "callers-first", allFrames: false } as const;
    const both = frameTreeOf(chain(labels), {
      python: new Map<number, PythonPlace>([
        [2, imports],
        [3, script],
      ]),
      library: new Map(),
    });
    expect([...folded(viewOf(both, view))].join("")).toBe("<module> (train.py:1);strdup (libx.so) 1\n");
    const called = [...labels.slice(0, 3), "0x9: PyObject_Call (in /usr/bin/python3.6)"];
    const alone = frameTreeOf(chain(called), { python: new Map([[2, imports]]), library: new Map() });
    expect([...folded(viewOf(alone, view))].join("")).toBe(
      "_find_and_load (<frozen importlib._bootstrap>);strdup (libx.so) 1\n",
    );
    for (const tree of [both, alone]) {
      expect(callersFirst(foldInterpreter(tree))).toEqual(viewOf(tree, view));
    }
  });

  it("shows a pad of which no line is known only where no Python frame is known at all", () => {
    const labels = ["(heap …", "0x1: strdup (in /lib/libx.so)", "0x2: py_00001 (in p.so)", "0x3: py_00002 (in p.so)"];
    const view = { direction: "callers-first", allFrames: false } as const;
    const without = viewOf(frameTreeOf(chain(labels), NONE), view);
    expect([...folded(without)].join("")).toBe("py_00002 (p.so);py_00001 (p.so);strdup (libx.so) 1\n");
    const script = { path: "train.py", line: 1, function: "<module>", kind: "line" } as const;
    const named = viewOf(frameTreeOf(chain(labels), { python: new Map([[3, script]]), library: new Map() }), view);
    expect([...folded(named)].join("")).toBe("<module> (train.py:1);strdup (libx.so) 1\n");
  });

  it("is made without recursion: 100,000 frames deep", () => {
    const labels = [
      "(heap …",
      ...Array.from({ length: 100_000 }, (_, index) => `0x${index.toString(16)}: f${index % 1000} (a.c:1)`),
    ];
    const tree = viewOf(frameTreeOf(chain(labels, 5), NONE), { direction: "callers-first", allFrames: false });
    expect(at(depths(tree), 100_000)).toBe(100_000);
    expect([...folded(tree)].join("")).toMatch(/^f999 \(a\.c:1\);f998.*;f0 \(a\.c:1\) 5\n$/);
  });

  it("refuses a tree whose stacks are too many to turn round", () => {
    const count = 8_000;
    const labels = [
      "(heap …",
      ...Array.from({ length: count }, (_, index) => `0x${index.toString(16)}: f${index} (a.c:1)`),
    ];
    const everyNodeEnds = {
      ...chain(labels),
      bytes: Float64Array.from({ length: count + 1 }, (_, node) => count + 1 - node),
    };
    const tree = frameTreeOf(everyNodeEnds, NONE);
    expect(() => callersFirst(tree)).toThrowError(expect.objectContaining({ code: "massif-tree-too-large" }));
  });
});
