import { describe, expect, it } from "vitest";
import type { RunListEntry, RunSummary } from "../../protocol/server.ts";
import type { RunGroup } from "../../runs/model.ts";
import { areDifferent, inOrder, sidesOf } from "./sides.ts";

function run(id: string, started: string, group?: RunGroup): RunListEntry {
  const summary = { folder: `/p/${id}`, id, title: "train.py", label: { tags: [], pinned: false }, started };
  return { kind: "run", run: { ...summary, ...(group === undefined ? {} : { group }) } as unknown as RunSummary };
}
const repeat = (index: number): RunGroup => ({ kind: "repeat", id: "g", index, of: 3 });

const ENTRIES: readonly RunListEntry[] = [
  run("4", "2026-11-21T12:00:00Z"),
  run("3", "2026-11-21T11:02:00Z", repeat(2)),
  { kind: "unreadable", folder: "/p/x", reason: "damaged" } as RunListEntry,
  run("2", "2026-11-21T11:01:00Z", repeat(1)),
  run("1", "2026-11-21T10:00:00Z", { kind: "repeat", id: "alone", index: 1, of: 3 }),
];

describe("sidesOf", () => {
  it("says of what a peak is: under massif valgrind's is in it, another tool measures something else", () => {
    const described = (changes: Partial<RunSummary>) => {
      const entry = run("20261121-120000-train-0001", "2026-11-21T12:00:00Z");
      const summary = { ...(entry as RunListEntry & { kind: "run" }).run, rssPeak: 1313 * 2 ** 20, ...changes };
      return sidesOf([{ kind: "run", run: summary }])[0]
        ?.description.split(" · ")
        .at(-1);
    };
    expect(described({ massif: false })).toBe("peak 1313.0 MiB");
    expect(described({ massif: true })).toBe("peak 1313.0 MiB with valgrind");
    const imported = { format: "tegrastats", file: "x.log", measures: "x", timeline: "RAM of the board" } as const;
    expect(described({ massif: false, imported })).toBe("peak 1313.0 MiB (RAM of the board)");
  });

  it("offers repeats as one side, in their order, before the newest of them", () => {
    const sides = sidesOf(ENTRIES);
    expect(sides.map(({ folders }) => folders)).toEqual([["/p/4"], ["/p/2", "/p/3"], ["/p/3"], ["/p/2"], ["/p/1"]]);
    expect(sides[1]?.name).toBe("train.py, all 2 repeats");
    expect(sides[2]?.description).toContain("repeat 2 of 3");
  });
});

it("the earlier of two is what was before", () => {
  const [newest, , , older] = sidesOf(ENTRIES);
  if (newest === undefined || older === undefined) throw new Error("no sides");
  expect(inOrder(newest, older)).toEqual({ before: ["/p/2"], after: ["/p/4"] });
  expect(inOrder(older, newest)).toEqual({ before: ["/p/2"], after: ["/p/4"] });
});

it("what was before is told by this computer's clock where the board's is wrong", () => {
  const [newer, older] = sidesOf([
    run("20261121-130000-train-0002", "1970-01-01T00:00:10Z"),
    run("20261121-120000-train-0001", "2026-11-21T12:00:01Z"),
  ]);
  if (newer === undefined || older === undefined) throw new Error("no sides");
  expect(inOrder(newer, older)).toEqual({ before: older.folders, after: newer.folders });
  expect(newer.description).not.toContain("1970");
});

it("a run is not compared with itself", () => {
  expect(areDifferent({ before: ["a"], after: ["b", "a"] })).toBe(false);
  expect(areDifferent({ before: ["a"], after: ["b"] })).toBe(true);
});
