import { describe, expect, it } from "vitest";
import { difference } from "./difference.ts";
import { linesAtPeak, ownText } from "./lines.ts";
import { doubtsOf, widestVariances } from "./sampled.ts";
import { byLibrary, topAllocators } from "./summary.ts";
import { frameTreeOf, viewOf } from "./tree/frameTree.ts";
import { scopeToLine } from "./tree/scope.ts";

const MIB = 2 ** 20;
const place = (line: number) => ({ path: "train.py", line, function: "main", kind: "line" }) as const;
const facts = {
  python: new Map([
    [3, place(3)],
    [4, place(4)],
  ]),
  library: new Map(),
};
/** `malloc` ← `grow` ← train.py:3 (16 MiB, met by chance) and ← `fill` ← train.py:4 ← train.py:3 (64 MiB, counted). */
const calls = {
  labels: ["(heap …) malloc", "0x1: grow (in /usr/lib/liba.so)", "0x2: fill (in /usr/lib/libb.so)", "0x3: a", "0x4: b"],
  label: Uint32Array.from([0, 1, 3, 2, 4, 3]),
  parent: Uint32Array.from([0, 0, 1, 0, 3, 4]),
  bytes: Float64Array.from([80, 16, 16, 64, 64, 64].map((mib) => mib * MIB)),
};
const variance = Float64Array.from([3, 3, 3, 0, 0, 0].map((mib) => (mib * MIB) ** 2));
/** Two standard errors and four samples' worth: 2 × √(9 + 4 × 4) MiB. */
const sampled = { variance, mean: 2 * MIB };
const tree = frameTreeOf(calls, facts, sampled);
const bandsByFrame = (shown: typeof tree) => {
  const doubts = doubtsOf(shown);
  return [...(doubts?.total ?? [])].map((one) => (doubts?.bandOf(one) ?? 0) / MIB);
};

describe("how certain sampled stacks are", () => {
  it.each(["callers-first", "allocators-first"] as const)("goes with the stacks, %s", (direction) => {
    const shown = viewOf(tree, { direction, allFrames: true });
    const byName = shown.frames.map((frame) => (frame.kind === "python" ? frame.line : frame.kind));
    const bands = bandsByFrame(shown);
    expect(bands[0]).toBe(10);
    for (let node = 1; node < bands.length; node++) {
      const isCounted = byName[shown.frame[node] ?? 0] === 4;
      if (isCounted) expect(bands[node]).toBe(0);
    }
    expect(bandsByFrame(viewOf(tree, { direction, allFrames: false }))[0]).toBe(10);
    expect(bandsByFrame(scopeToLine(tree, { path: "train.py", line: 4 }))).toEqual([0, 0, 0, 0]);
  });

  it("adds up as squares, and is at most both sides' in a difference", () => {
    const both = difference(tree, tree).tree;
    expect(bandsByFrame(both)[0]).toBeCloseTo(2 * Math.sqrt(18 + 4 * 4));
    expect(both.total[0]).toBe(0);
    expect(doubtsOf(difference(frameTreeOf(calls, facts), frameTreeOf(calls, facts)).tree)).toBeUndefined();
  });

  it("stands with each line, library and function", () => {
    expect(linesAtPeak(tree).map(({ line, band }) => [line, band?.total, band?.own])).toEqual([
      [3, 10 * MIB, 10 * MIB],
      [4, 0, 0],
    ]);
    expect(byLibrary(tree).map(({ bytes, band }) => [bytes / MIB, band])).toEqual([
      [64, 0],
      [16, 10 * MIB],
    ]);
    expect(topAllocators(tree).map(({ band }) => band)).toEqual([
      { self: 0, total: 0 },
      { self: 10 * MIB, total: 10 * MIB },
    ]);
    expect(linesAtPeak(frameTreeOf(calls, facts))[0]).not.toHaveProperty("band");
  });

  it("is nothing where no stack ends, although errors come rounded", () => {
    const rounded = variance.map((one, node) => (node === 0 ? one + 1e6 : one));
    expect(frameTreeOf(calls, facts, { ...sampled, variance: rounded }).sampled?.variance[0]).toBe(0);
  });

  it("tells what no sample met from what is 0", () => {
    expect(ownText({ own: 0, band: { total: MIB, own: 0 } })).toBe("not met by a sample");
    expect(ownText({ own: 0 })).toBe("0 B");
    expect(ownText({ own: MIB, band: { total: MIB, own: 0 } })).toBe("1.0 MiB ± 0 B");
  });

  it("is at most as the mean says", () => {
    expect([...widestVariances({ bytes: Float64Array.from([8, -1]) }, 2)]).toEqual([16, 0]);
  });
});
