import { describe, expect, it } from "vitest";
import { bytesWithoutLine, linesAtPeak, nativeStacks } from "./lines.ts";
import type { FrameTree, PythonPlace } from "./model.ts";
import { fullName } from "./tree/frameNames.ts";
import { frameTreeOf, viewOf } from "./tree/frameTree.ts";
import { scopeToLine } from "./tree/scope.ts";
import { stackOf } from "./tree/treeShape.ts";
import {
  at,
  FACTS,
  foldedMap,
  type KnownStack,
  listStacks,
  randomTree,
  withoutInterpreter,
} from "./tree/treeTesting.ts";

const isProject = (place: PythonPlace) => !place.path.startsWith("/");

/** The place that owns a stack: of its frames from the allocator on the first in the project, else the first of Python. */
function ownerOf({ frames }: KnownStack): PythonPlace | undefined {
  const places = frames.flatMap(({ python }) => python ?? []);
  return places.find(isProject) ?? places[0];
}

describe("the lines of random snapshots", () => {
  it("hold what a count over all stacks gives, each stack once", () => {
    for (let seed = 0; seed < 60; seed++) {
      const calls = randomTree(seed, 30 + seed * 4);
      const stacks = listStacks(calls);
      const lines = linesAtPeak(frameTreeOf(calls, FACTS));
      const places = [...FACTS.python.values()];
      const expected = places.map((place) => {
        const through = stacks.filter(({ frames }) => frames.some(({ python }) => python === place));
        const owned = stacks.filter((stack) => ownerOf(stack) === place);
        const sum = (list: readonly KnownStack[]) => list.reduce((bytes, stack) => bytes + stack.bytes, 0);
        const { path, line, function: name } = place;
        return { path, line, function: name, exact: place.kind === "line", total: sum(through), own: sum(owned) };
      });
      expect(new Set(lines)).toEqual(new Set(expected.filter(({ total }) => total > 0)));
      expect(lines.map(({ total }) => total)).toEqual(lines.map(({ total }) => total).sort((a, b) => b - a));
    }
  });

  it("have their native stacks, from the innermost time the line ran", () => {
    const place = { path: "train.py", line: 7 };
    for (let seed = 0; seed < 40; seed++) {
      const calls = randomTree(seed, 200);
      const expected = foldedMap(
        listStacks(calls)
          .filter(({ frames }) => frames.some(({ python }) => python?.line === place.line))
          .map(withoutInterpreter)
          .map(({ frames, bytes }) => {
            const line = frames.findIndex(({ python }) => python?.line === place.line);
            return { frames: frames.slice(0, line + 1).reverse(), bytes };
          }),
      );
      const found = nativeStacks(frameTreeOf(calls, FACTS), place, 1000);
      expect(new Map(found.map(({ frames, bytes }) => [frames.map(fullName).join(";"), bytes]))).toEqual(expected);
      expect(nativeStacks(frameTreeOf(calls, FACTS), place, 2)).toEqual(found.slice(0, 2));
      expect(found.map(({ bytes }) => bytes)).toEqual(found.map(({ bytes }) => bytes).sort((a, b) => b - a));
    }
  });
});

describe("what is on no line", () => {
  it("is what was merged or cut off before a line of the project", () => {
    for (let seed = 0; seed < 40; seed++) {
      const calls = randomTree(seed, 30 + seed * 4);
      const known = ({ frames }: KnownStack) => frames.some(({ python }) => python !== undefined && isProject(python));
      for (const longest of [3, 100]) {
        const expected = listStacks(calls)
          .filter((stack) => !known(stack))
          .filter(({ frames }) => frames.length >= longest || frames.some(({ places }) => places !== undefined))
          .reduce((sum, { bytes }) => sum + bytes, 0);
        expect(bytesWithoutLine(frameTreeOf(calls, FACTS), longest)).toBe(expected);
      }
    }
  });

  it("is neither what the profiler took, which no line is blamed for", () => {
    const calls = {
      labels: [
        "all",
        "0x1: malloc (in /lib/libc.so.6)",
        "0x2: py_00001 (in /tmp/p.so)",
        "0x3: py_00002 (in /tmp/p.so)",
      ],
      label: Uint32Array.of(0, 1, 2, 3, 3),
      parent: Uint32Array.of(0, 0, 1, 2, 1),
      bytes: Float64Array.of(100, 100, 40, 40, 60),
    };
    const python = new Map<number, PythonPlace>([
      [2, { path: "/opt/jetson_memprof/massif/pads.py", line: 9, function: "_miss", kind: "profiler" }],
      [3, { path: "train.py", line: 3, function: "<module>", kind: "line" }],
    ]);
    const stacks = frameTreeOf(calls, { python, library: new Map() });
    expect(linesAtPeak(stacks)).toMatchObject([{ path: "train.py", line: 3, total: 60, own: 60 }]);
    expect(bytesWithoutLine(stacks, 100)).toBe(0);
    expect(stacks.frames.map(fullName)).toContain("memory profiler (Jetson Memory Profiler)");
  });
});

function stackNames(tree: FrameTree): Map<string, number> {
  const ends = [...tree.self.keys()].filter((node) => tree.self[node] !== 0);
  return new Map(
    ends.map((node) => {
      const names = stackOf(tree, node).map((step) => tree.frames[at(tree.frame, step)]);
      return [
        names.map((frame) => JSON.stringify(frame?.kind === "below-threshold" ? frame.kind : frame)).join(),
        at(tree.self, node),
      ];
    }),
  );
}

describe("the scope of a line", () => {
  const place = { path: "train.py", line: 7 };

  it("has exactly the stacks that pass through it, in every view", () => {
    for (let seed = 0; seed < 40; seed++) {
      const calls = randomTree(seed, 200);
      const tree = frameTreeOf(calls, FACTS);
      const scoped = scopeToLine(tree, place);
      expect(scoped.total[0]).toBe(linesAtPeak(tree).find(({ line }) => line === place.line)?.total ?? 0);
      for (const direction of ["callers-first", "allocators-first"] as const) {
        for (const allFrames of [true, false]) {
          const view = viewOf(scoped, { direction, allFrames });
          const passing = [...stackNames(viewOf(tree, { direction, allFrames }))].filter(([stack]) =>
            stack.includes('"line":7,'),
          );
          expect(stackNames(view)).toEqual(new Map(passing));
          expect(stackNames(scopeToLine(viewOf(tree, { direction, allFrames }), place))).toEqual(new Map(passing));
        }
      }
    }
  });

  it("does not take a function for the line of its definition", () => {
    const tree = frameTreeOf(randomTree(3, 400), FACTS);
    expect(linesAtPeak(tree).some(({ line, exact }) => line === 100 && !exact)).toBe(true);
    expect(scopeToLine(tree, { path: "/usr/lib/python3/torch/nn.py", line: 100 }).total).toEqual(new Float64Array(1));
    expect(nativeStacks(tree, { path: "/usr/lib/python3/torch/nn.py", line: 100 }, 5)).toEqual([]);
  });
});
