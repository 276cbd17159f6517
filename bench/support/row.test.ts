import { describe, expect, it } from "vitest";
import { parseRow, parseRows, RowError } from "./row.ts";
import { contestant, writtenRow } from "./testing.ts";

describe("a row", () => {
  it("is read with what a program may leave out", () => {
    const row = parseRow(writtenRow());
    expect(row.goals).toEqual([{ kind: "ahead", of: ["memory_profiler", "Scalene"] }]);
    expect(row.contestants[1]?.runs).toEqual([[25, 26, 27], []]);
    expect(row.reference).toBeUndefined();
    expect(row.notes).toEqual([]);
  });

  it("keeps the rounds that could be run", () => {
    const row = parseRow(writtenRow({ goal: [], contestants: [contestant("ours", [1, null, 3], null)] }));
    expect(row.contestants[0]?.runs).toEqual([[1, 3], []]);
    expect(row.goals).toEqual([]);
  });

  it.each([
    [{ ours: "nobody" }, "ours (nobody) is no contestant"],
    [{ goal: { kind: "ahead", of: ["Memray"] } }, "the goal names Memray, which is neither there nor absent"],
    [{ goal: { kind: "bound", atMost: 1, at: 5 } }, "the goal is judged at 5, which is no size of the work"],
    [{ contestants: [contestant("ours", [1])], goal: [] }, "ours has 1 sizes of 2"],
    [{ unit: "parsecs" }, "unit:"],
    [{ row: "Line Time" }, "row: a row is named like line-time/hot"],
    [{ color: "blue" }, "color:"],
    [{ table: { title: "t", head: ["a", "b"], rows: [["1"]] } }, "a line of its table is too short or too long"],
  ])("is refused with the reason: %j", (changes, reason) => {
    expect(() => parseRow(writtenRow(changes))).toThrow(RowError);
    expect(() => parseRow(writtenRow(changes))).toThrow(reason);
  });

  it("that is wrong does not take the others with it", () => {
    const { rows, wrong } = parseRows([writtenRow(), writtenRow({ row: "line-time/numpy", unit: "parsecs" }), 5]);
    expect(rows.map(({ row }) => row.row)).toEqual(["line-time/hot"]);
    expect(wrong).toHaveLength(2);
    expect(wrong[0]).toMatch(/^line-time\/numpy: unit/);
  });
});
