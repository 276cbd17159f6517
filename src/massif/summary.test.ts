import { describe, expect, it } from "vitest";
import type { CallTree, FrameTree } from "./model.ts";
import { byLibrary, libraryName, topAllocators } from "./summary.ts";
import { fullName } from "./tree/frameNames.ts";
import { frameTreeOf, viewOf } from "./tree/frameTree.ts";
import { matchesIn, matchNames, searchExpression } from "./tree/search.ts";
import { subtreeEnds } from "./tree/treeShape.ts";
import { FACTS, listStacks, randomTree } from "./tree/treeTesting.ts";

/** One stack per entry: the allocator first. */
function treeOf(stacks: readonly (readonly string[])[]): CallTree {
  const labels = ["(heap …"];
  const label = [0];
  const parent = [0];
  for (const stack of stacks) {
    for (const [depth, name] of stack.entries()) {
      parent.push(depth === 0 ? 0 : label.length - 1);
      label.push(labels.push(name) - 1);
    }
  }
  const bytes = new Float64Array(label.length);
  let node = 1;
  for (const [index, stack] of stacks.entries()) {
    bytes.fill(10 ** index, node, node + stack.length);
    node += stack.length;
  }
  bytes[0] = stacks.reduce((sum, _, index) => sum + 10 ** index, 0);
  return { labels, label: Uint32Array.from(label), parent: Uint32Array.from(parent), bytes };
}

const NONE = { python: new Map(), library: new Map() };

describe("the summary by library", () => {
  it("gives each stack to the innermost library that is not the runtime", () => {
    const tree = frameTreeOf(
      treeOf([
        [
          "0x1: operator new(unsigned long) (in /usr/lib/libstdc++.so.6)",
          "0x2: f() (in /opt/libtorch_cpu.so)",
          "0x3: main (in /bin/app)",
        ],
        [
          "0x4: mmap (mmap64.c:46)",
          "0x5: ??? (in /usr/lib/libcudart.so.10.2.300)",
          "0x2: f() (in /opt/libtorch_cpu.so)",
        ],
        ["0x6: PyList_New (in /usr/bin/python3.6)", "0x7: main (in /usr/bin/python3.6)"],
        ["0x8: malloc (in /lib/libc.so.6)", "0x9: (below main) (in /lib/libc.so.6)"],
        ["0xA: compute (app.c:3)", "0xB: qsort (in /lib/libc-2.27.so)"],
        ["in 4 places, all below massif's threshold (1.00%)"],
        ["0x4: mmap (mmap64.c:46)", "in 1 place, below massif's threshold (1.00%)"],
        ["0xC: f() (in /other/libtorch_cpu.so)"],
      ]),
      NONE,
    );
    expect(Object.fromEntries(byLibrary(tree).map(({ library, bytes }) => [libraryName(library), bytes]))).toEqual({
      "libtorch_cpu.so": 10_000_001,
      "libcudart.so.10.2.300": 10,
      "Python interpreter": 100,
      "libc.so.6": 1000,
      "library unknown": 10_000,
      "below threshold": 1_100_000,
    });
    expect(byLibrary(tree)[0]?.library).toMatchObject({ paths: ["/opt/libtorch_cpu.so", "/other/libtorch_cpu.so"] });
  });

  it("counts every byte once", () => {
    for (let seed = 0; seed < 40; seed++) {
      const calls = randomTree(seed, 200);
      const sums = byLibrary(frameTreeOf(calls, FACTS));
      expect(sums.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(calls.bytes[0]);
    }
  });
});

describe("the top allocators", () => {
  it("have what they asked for themselves and what passes through them", () => {
    const runtime = (name: string | undefined) => name?.includes("malloc.c") === true;
    for (let seed = 0; seed < 40; seed++) {
      const calls = randomTree(seed, 200);
      const stacks = listStacks(calls).map(({ frames, bytes }) => ({ names: frames.map(({ name }) => name), bytes }));
      const asker = (names: readonly string[]) => names.find((name) => !runtime(name)) ?? names[0];
      const allocators = topAllocators(frameTreeOf(calls, FACTS));
      for (const { frame, self, total } of allocators) {
        const name = fullName(frame);
        const sum = (pick: (names: readonly string[]) => boolean) =>
          stacks.filter(({ names }) => pick(names)).reduce((bytes, stack) => bytes + stack.bytes, 0);
        expect(self).toBe(sum((names) => asker(names) === name));
        expect(total).toBe(sum((names) => names.includes(name)));
      }
      const below = stacks.filter(({ names }) => asker(names) === "below threshold");
      const rest = below.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(allocators.reduce((sum, { self }) => sum + self, rest)).toBe(calls.bytes[0]);
    }
  });
});

describe("a search", () => {
  const expressionOf = (text: string) => {
    const expression = searchExpression(text);
    if (expression.kind === "invalid") throw new Error(expression.message);
    return expression;
  };

  it("counts each stack that passes through a match once", () => {
    for (const text of ["torch", "^at::", "train\\.py:[37]", "python", "below", "e"]) {
      const expression = expressionOf(text);
      const search = (tree: FrameTree) =>
        matchesIn(tree, matchNames(expression, tree.frames.map(fullName)), subtreeEnds(tree));
      for (let seed = 0; seed < 20; seed++) {
        const calls = randomTree(seed, 200);
        const expected = listStacks(calls)
          .filter(({ frames }) => frames.some(({ name }) => new RegExp(text).test(name)))
          .reduce((sum, { bytes }) => sum + bytes, 0);
        const tree = frameTreeOf(calls, FACTS);
        const found = search(tree);
        expect(found.bytes).toBe(expected);
        expect([...found.nodes].every((node) => found.frames[tree.frame[node] ?? 0] === 1)).toBe(true);
        expect(search(viewOf(tree, { direction: "callers-first", allFrames: true })).bytes).toBe(expected);
      }
    }
  });

  it.each(["(a", "a**", "[z-a]", "a\\_", "a/("])("says what is wrong with %s", (text) => {
    const expression = searchExpression(text);
    expect(expression.kind === "invalid" && expression.message).toMatch(
      /^The search does not know this regular expression: [A-Z][^/]+\. Put \\ before .*\.$/,
    );
  });

  it("minds capital letters only where some are typed", () => {
    const finds = (text: string) => matchNames(expressionOf(text), ["THPVariable_New (libtorch.so)"])[0] === 1;
    expect(finds("thpvariable")).toBe(true);
    expect(finds("THPV")).toBe(true);
    expect(finds("Thpv")).toBe(false);
    expect(finds("\\W\\wibtorch")).toBe(true);
  });
});
