import { describe, expect, it } from "vitest";
import { seeded } from "../../../test/faults/support/random.ts";
import { choosePruning, type DeletedSize, type KeptRun } from "./prune.ts";

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;
const NOTHING = { remove: [], forget: [], unreachable: [] };
const LIMITS = { maxRuns: 0, maxBytes: 0, deletedFor: 7 * DAY };

/** Newest first: `a` is the newest. */
const runs = (...sizes: readonly (number | `${number}!`)[]): KeptRun[] =>
  sizes.map((size, at) => ({
    folder: String.fromCharCode(97 + at),
    bytes: Number.parseInt(String(size), 10),
    guarded: String(size).endsWith("!"),
  }));

describe("pruning", () => {
  it("does nothing without limits, and nothing below them", () => {
    expect(choosePruning(runs(1, 1, 1), [], LIMITS, NOW)).toEqual(NOTHING);
    expect(choosePruning(runs(1, 1, 1), [], { ...LIMITS, maxRuns: 3, maxBytes: 3 }, NOW).remove).toEqual([]);
  });

  it("takes the oldest runs above the number, passing over those that are guarded", () => {
    expect(choosePruning(runs(1, 1, 1, 1), [], { ...LIMITS, maxRuns: 2 }, NOW).remove).toEqual(["d", "c"]);
    expect(choosePruning(runs(1, 1, 1, "1!"), [], { ...LIMITS, maxRuns: 2 }, NOW).remove).toEqual(["c", "b"]);
  });

  it("takes the oldest runs above the size, and never the newest", () => {
    expect(choosePruning(runs(5, 5, 5), [], { ...LIMITS, maxBytes: 11 }, NOW).remove).toEqual(["c"]);
    expect(choosePruning(runs(100), [], { ...LIMITS, maxRuns: 1, maxBytes: 1 }, NOW).remove).toEqual([]);
  });

  it("forgets deleted runs after their days; one of unknown time and one from the future stay", () => {
    const deleted: DeletedSize[] = [
      { folder: "old", bytes: 1, deletedAt: NOW - 8 * DAY },
      { folder: "fresh", bytes: 1, deletedAt: NOW - DAY },
      { folder: "future", bytes: 1, deletedAt: NOW + 30 * DAY },
      { folder: "unknown", bytes: 1 },
    ];
    expect(choosePruning(runs(1), deleted, LIMITS, NOW).forget).toEqual(["old"]);
  });

  it("forgets the longest deleted first where room is needed, but not what it deletes now", () => {
    const deleted = [1, 2, 3].map((days) => ({ folder: `${days}`, bytes: 10, deletedAt: NOW - days * DAY }));
    const pruning = choosePruning(runs(10, 10), deleted, { ...LIMITS, maxBytes: 35 }, NOW);
    expect(pruning).toEqual({ ...NOTHING, forget: ["3", "2"] });
    expect(choosePruning(runs(30, 30), [], { ...LIMITS, maxBytes: 35 }, NOW)).toEqual({ ...NOTHING, remove: ["b"] });
  });

  it("deletes and forgets nothing for a limit that the runs which stay are above by themselves", () => {
    const deleted = [1, 8].map((days) => ({ folder: `${days}`, bytes: 10, deletedAt: NOW - days * DAY }));
    const limits = { ...LIMITS, maxBytes: 35 };
    expect(choosePruning(runs(1, 1, 1, "40!"), deleted, limits, NOW)).toEqual({
      remove: [],
      forget: ["8"],
      unreachable: ["maxBytes"],
    });
    // The newest stays too, until there is another one.
    expect(choosePruning(runs(40, 10), [], limits, NOW).remove).toEqual([]);
    expect(choosePruning(runs(1, 40, 10), [], limits, NOW).remove).toEqual(["c", "b"]);
    // The other limit is kept all the same.
    expect(choosePruning(runs(1, 1, 1, "40!"), [], { ...limits, maxRuns: 3 }, NOW).remove).toEqual(["c"]);
    expect(choosePruning(runs(1, 1, "1!", "1!"), [], { ...LIMITS, maxRuns: 2 }, NOW)).toEqual({
      ...NOTHING,
      unreachable: ["maxRuns"],
    });
  });

  it("keeps every limit it can and every run it must, whatever the history", () => {
    const random = seeded(20261122).below;
    for (let round = 0; round < 2000; round++) {
      const history = Array.from({ length: random(12) }, (_, at): KeptRun => {
        return { folder: `${at}`, bytes: random(50), guarded: random(3) === 0 };
      });
      const limits = { maxRuns: random(8), maxBytes: random(200), deletedFor: DAY };
      const { remove, unreachable } = choosePruning(history, [], limits, NOW);
      const left = history.filter(({ folder }) => !remove.includes(folder));
      const bytes = left.reduce((sum, run) => sum + run.bytes, 0);
      expect(new Set(remove).size).toBe(remove.length);
      expect(left.filter(({ guarded }) => guarded)).toEqual(history.filter(({ guarded }) => guarded));
      expect(left[0]).toEqual(history[0]);
      const stay = history.filter(({ guarded }, at) => guarded || at === 0);
      const stayBytes = stay.reduce((sum, run) => sum + run.bytes, 0);
      // Above a limit only where those that must stay are.
      expect(unreachable.includes("maxRuns")).toBe(limits.maxRuns > 0 && stay.length > limits.maxRuns);
      expect(unreachable.includes("maxBytes")).toBe(limits.maxBytes > 0 && stayBytes > limits.maxBytes);
      const runsKept = limits.maxRuns > 0 && !unreachable.includes("maxRuns");
      const bytesKept = limits.maxBytes > 0 && !unreachable.includes("maxBytes");
      if (runsKept) expect(left.length).toBeLessThanOrEqual(limits.maxRuns);
      if (bytesKept) expect(bytes).toBeLessThanOrEqual(limits.maxBytes);
      // And the last one taken had to go.
      const last = history.find(({ folder }) => folder === remove.at(-1));
      if (last === undefined) continue;
      const before = runsKept && left.length + 1 > limits.maxRuns;
      expect(before || (bytesKept && bytes + last.bytes > limits.maxBytes)).toBe(true);
    }
  });
});
