import { describe, expect, it } from "vitest";
import { fullName } from "./frameNames.ts";
import { frameTreeOf, viewOf } from "./frameTree.ts";
import { linesAtPeak, nativeStacks } from "./lines.ts";
import type { FrameTree, PythonPlace } from "./model.ts";
import { scopeToLine } from "./scope.ts";
import { stackOf } from "./treeShape.ts";
import { at, FACTS, foldedMap, type KnownStack, listStacks, randomTree, withoutInterpreter } from "./treeTesting.ts";

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
