import { describe, expect, test } from "vitest";
import type { MassifDocument, SnapshotSummary } from "../../src/protocol/massif/massif.ts";
import {
  choiceOf,
  describeSnapshot,
  isPossible,
  nextWithStacks,
  peakOf,
  startingChoice,
  timeText,
  treesOf,
} from "./choice.ts";

const snapshot = (
  number: number,
  heap: number,
  tree: SnapshotSummary["tree"] = "none",
  nodes = tree === "none" ? 0 : 3,
) => ({ number, time: number, heap, extra: 0, stacks: 0, tree, nodes }) satisfies SnapshotSummary;

function documentOf(...files: readonly (readonly SnapshotSummary[])[]): MassifDocument {
  return {
    title: "t",
    files: files.map((snapshots, i) => ({
      name: `${i}`,
      command: "",
      description: "",
      timeUnit: "i",
      pagesAsHeap: false,
      frames: "none",
      snapshots,
      problems: [],
    })),
    lines: [
      {
        file: 1,
        place: { path: "a.py", line: 1 },
        function: "f",
        hits: 2,
        measured: 2,
        net: 0,
        executions: [
          { hit: 1, before: 1, after: 2, stacks: true },
          { hit: 2, before: 1, after: 2, stacks: false },
        ],
      },
    ],
    notes: [],
  };
}

describe("what is shown first", () => {
  const shown = documentOf(
    [snapshot(0, 9)],
    [snapshot(0, 5, "detailed"), snapshot(1, 7, "peak"), snapshot(2, 8, "detailed")],
  );

  test("is the first peak there is, and without a peak the largest snapshot with stacks", () => {
    expect(startingChoice(shown)).toEqual({ kind: "snapshot", file: 1, snapshot: 1 });
    const noPeak = documentOf([snapshot(0, 5, "detailed"), snapshot(1, 9), snapshot(2, 6, "detailed")]);
    expect(startingChoice(noPeak)).toMatchObject({ snapshot: 2 });
    expect(startingChoice(documentOf([snapshot(0, 5)], []))).toBeUndefined();
  });

  test("a peak whose stacks are empty is none", () => {
    const [file] = documentOf([snapshot(0, 5, "detailed"), snapshot(1, 9, "peak", 0)]).files;
    expect(file && peakOf(file)).toBe(0);
    expect(file && describeSnapshot(file, 1)).toBe(
      "Snapshot 1 · 1 instructions · heap 9 B · sizes only, no call stacks",
    );
  });

  test("a choice of another state of the file is checked", () => {
    expect(isPossible({ kind: "snapshot", file: 1, snapshot: 0, compare: 2 }, shown)).toBe(true);
    expect(isPossible({ kind: "snapshot", file: 1, snapshot: 0, compare: 3 }, shown)).toBe(false);
    expect(isPossible({ kind: "snapshot", file: 0, snapshot: 0 }, shown)).toBe(false);
    expect(isPossible(choiceOf({ kind: "line", line: 0, execution: 0, side: "after" }), shown)).toBe(true);
    expect(isPossible({ kind: "line", line: 0, execution: 1 }, shown)).toBe(false);
    expect(isPossible({ kind: "line", line: 1, execution: 0 }, shown)).toBe(false);
  });
});

describe("a comparison", () => {
  test("goes from the earlier to the later snapshot, whichever was chosen first", () => {
    const refs = treesOf({ kind: "snapshot", file: 0, snapshot: 2, compare: 5 });
    expect(treesOf({ kind: "snapshot", file: 0, snapshot: 5, compare: 2 })).toEqual(refs);
    expect(refs).toMatchObject([{ snapshot: 2 }, { snapshot: 5 }]);
    expect(treesOf({ kind: "snapshot", file: 0, snapshot: 2, compare: 2 })).toHaveLength(1);
  });

  test("the next snapshot with stacks is found past those without", () => {
    const snapshots = [snapshot(0, 1, "detailed"), snapshot(1, 1), snapshot(2, 1, "detailed"), snapshot(3, 1)];
    expect([
      nextWithStacks(snapshots, 0, 1),
      nextWithStacks(snapshots, 2, 1),
      nextWithStacks(snapshots, 2, -1),
    ]).toEqual([2, 2, 0]);
  });
});

test("moments are told in the file's own unit", () => {
  expect([
    timeText(0, "ms"),
    timeText(1_500, "ms"),
    timeText(2_097_152, "B"),
    timeText(5_000, "i"),
    timeText(2.5e9, "i"),
  ]).toEqual(["0 s", "1.5 s", "2.0 MiB allocated", "5,000 instructions", "2.5 billion instr."]);
});
