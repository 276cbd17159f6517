import { describe, expect, it } from "vitest";
import { bestPeer, figureOf, growthOf, judge, oursOf } from "./judge.ts";
import { contestant, madeUpRow } from "./testing.ts";

const verdict = (changes: Readonly<Record<string, unknown>>) => judge(madeUpRow(changes))[0]?.verdict;

describe("the goal to be ahead", () => {
  it("is kept by so much as ours is better than the best of the peers", () => {
    expect(verdict({})).toMatchObject({ kind: "kept", than: "Scalene", sure: true });
    expect(verdict({})).toHaveProperty("margin.factor", expect.closeTo(0.7 / 0.21));
  });

  it("is missed where one peer is better", () => {
    const contestants = [contestant("ours", [1, 1]), contestant("a", [2, 2]), contestant("b", [0.5, 0.5])];
    const changes = { contestants, goal: { kind: "ahead", of: ["a", "b"] }, work: { unit: "lines", sizes: [10] } };
    expect(verdict(changes)).toMatchObject({ kind: "missed", than: "b", margin: { factor: 0.5 } });
  });

  it("turns round where more is better", () => {
    const contestants = [contestant("ours", [60, 59]), contestant("a", [30, 31])];
    const changes = { contestants, better: "more", unit: "frames/s", work: { unit: "frames", sizes: [10] } };
    expect(verdict({ ...changes, goal: { kind: "ahead", of: ["a"] } })).toMatchObject({ kind: "kept", sure: true });
  });

  it("says where the noise could have decided", () => {
    const contestants = [contestant("ours", [1, 3, 2]), contestant("a", [2, 1, 3])];
    const changes = { contestants, goal: { kind: "ahead", of: ["a"] }, work: { unit: "lines", sizes: [10] } };
    expect(verdict(changes)).toMatchObject({ sure: false });
  });

  it("is kept at a size that a peer cannot do, and judged at the size that it names", () => {
    const goal = { kind: "ahead", of: ["memory_profiler"], at: 10_000_000 };
    expect(judge(madeUpRow({ goal }))).toMatchObject([{ size: 1, verdict: { kind: "kept" } }]);
  });

  it("is not judged where all peers are absent", () => {
    expect(verdict({ goal: { kind: "ahead", of: ["pytorch_memlab"] } })).toEqual({
      kind: "not judged",
      why: "pytorch_memlab could not be run",
    });
  });
});

describe("other goals", () => {
  it("a factor is that of the medians", () => {
    expect(verdict({ goal: { kind: "factor", than: "Scalene", atMost: 0.3 } })).toMatchObject({
      kind: "kept",
      margin: { factor: 0.3 / 0.3 },
    });
    expect(verdict({ goal: { kind: "factor", than: "Scalene", atMost: 0.29 } })).toMatchObject({ kind: "missed" });
    expect(verdict({ goal: { kind: "factor", than: "Scalene", atLeast: 0.29 } })).toMatchObject({ kind: "kept" });
  });

  it("a bound is kept by a figure at it", () => {
    expect(verdict({ goal: { kind: "bound", atMost: 0.21 } })).toMatchObject({ kind: "kept", sure: false });
    expect(verdict({ goal: { kind: "bound", atMost: 0.1 } })).toMatchObject({ kind: "missed", sure: true });
    expect(verdict({ goal: { kind: "bound", atLeast: 0.1 } })).toMatchObject({ kind: "kept" });
  });

  it("several goals are judged each for itself", () => {
    const goal = [
      { kind: "bound", atMost: 0.21 },
      { kind: "bound", atMost: 0.6, at: 10_000_000 },
    ];
    expect(judge(madeUpRow({ goal })).map(({ verdict: { kind } }) => kind)).toEqual(["kept", "missed"]);
  });
});

describe("a figure beyond a reference", () => {
  const beyond = madeUpRow({
    contestants: [contestant("ours", [-0.01, 0.02, 0.01], null), contestant("a", [0.5, 0.6, 0.7], null)],
    goal: { kind: "ahead", of: ["a"] },
    reference: { name: "bare", runs: [[1, 1, 1], null] },
  });

  it("is below the noise where its spread is larger, and never negative", () => {
    const negative = { name: "ours", version: "", command: "", runs: [[-2, -2.5, -1.5], []], notes: [] };
    expect(figureOf(beyond, negative, 0)).toMatchObject({ kind: "below noise", noise: 2 });
    expect(figureOf(beyond, oursOf(beyond), 1)).toEqual({ kind: "none" });
  });

  it("that is noise is ahead at least so many times", () => {
    const close = madeUpRow({
      contestants: [contestant("ours", [-0.1, 0.2, 0.01], null), contestant("a", [0.5, 0.6, 0.7], null)],
      goal: { kind: "ahead", of: ["a"] },
      reference: { name: "bare", runs: [[1, 1, 1], null] },
    });
    expect(judge(close)[0]?.verdict).toMatchObject({
      kind: "kept",
      margin: { factor: expect.closeTo(0.6 / 0.075), atLeast: true },
    });
  });

  it.each([
    ["both are noise", [-0.1, 0.2, 0.01], [-0.2, 0.3, 0.1], undefined],
    ["it is behind within its noise", [-1, 2, 0.5], [0.3, 0.31, 0.32], undefined],
    ["the other is noise, and it is behind at least so far", [0.5, 0.6, 0.7], [-0.1, 0.2, 0.01], 0.075 / 0.6],
  ])("tells no factor that is not known: %s", (_, ours, peer, factor) => {
    const row = madeUpRow({
      contestants: [contestant("ours", ours, null), contestant("a", peer, null)],
      goal: { kind: "ahead", of: ["a"] },
      reference: { name: "bare", runs: [[1, 1, 1], null] },
    });
    expect(judge(row)[0]?.verdict).toMatchObject({
      margin: { factor: factor === undefined ? Number.NaN : expect.closeTo(factor), atLeast: true },
    });
  });
});

describe("growth of a row", () => {
  it("goes from the first size to the last", () => {
    const row = madeUpRow();
    expect(growthOf(row, oursOf(row))).toMatchObject({ kind: "grown", growth: { verdict: "at most n log n" } });
  });

  it("of a rate is that of its inverse", () => {
    const contestants = [contestant("ours", [60, 60], [6, 6])];
    const row = madeUpRow({ contestants, goal: [], unit: "frames/s", better: "more" });
    expect(growthOf(row, oursOf(row))).toMatchObject({ growth: { exponent: expect.closeTo(1) } });
  });

  it("is unknown where one size could not be run, or there is but one", () => {
    const row = madeUpRow();
    const peer = bestPeer(row, 0);
    expect(peer?.name).toBe("Scalene");
    const [, memoryProfiler] = row.contestants;
    expect(memoryProfiler && growthOf(row, memoryProfiler)).toEqual({ kind: "unknown", why: "not run at both sizes" });
  });
});
