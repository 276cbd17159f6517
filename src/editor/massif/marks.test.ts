import { describe, expect, it } from "vitest";
import { afterEdits, type Edit, inText, isMeasurableLine, type Mark, toggled } from "./marks.ts";

const edit = (from: readonly [number, number], to: readonly [number, number], text: string): Edit => ({
  range: { start: { line: from[0], character: from[1] }, end: { line: to[0], character: to[1] } },
  text,
});

/** Marks of the lines with `!` after the edits were made to the text, by the marks' new places. */
function edited(before: string, after: string, edits: readonly Edit[]): number[] {
  const marks = before.split("\n").flatMap((text, at) => (text.includes("!") ? [{ line: at + 1, text }] : []));
  const lines = after.split("\n");
  return afterEdits(marks, edits, (line) => lines[line - 1]).map(({ line }) => line);
}

describe("marks", () => {
  it("are put and taken away, in the order of lines", () => {
    const a: Mark = { line: 5, text: "a" };
    const b: Mark = { line: 2, text: "b" };
    expect(toggled(toggled([], a), b)).toEqual([b, a]);
    expect(toggled([b, a], { line: 5, text: "changed" })).toEqual([b]);
  });

  it("need a line with code", () => {
    expect(["", "   ", "# note", "  # note"].some(isMeasurableLine)).toBe(false);
    expect(isMeasurableLine("x = 1  # note")).toBe(true);
  });

  it("stay with their line when lines come or go above it", () => {
    expect(edited("a\nb!\nc", "a\nnew\nb!\nc", [edit([0, 1], [0, 1], "\nnew")])).toEqual([3]);
    expect(edited("a\nb!\nc", "a\n\nb!\nc", [edit([1, 0], [1, 0], "\n")])).toEqual([3]);
    expect(edited("a\nx\nb!\nc", "b!\nc", [edit([0, 0], [2, 0], "")])).toEqual([1]);
    expect(edited("a\nb!\nc", "a\nb!\nnew\nc", [edit([1, 2], [1, 2], "\nnew")])).toEqual([2]);
  });

  it("take the text of their line as it becomes, and go with a deleted line", () => {
    const marks = afterEdits([{ line: 1, text: "a" }], [edit([0, 1], [0, 1], "bc")], () => "abc");
    expect(marks).toEqual([{ line: 1, text: "abc" }]);
    expect(edited("a\nb!\nc", "a\nc", [edit([1, 0], [2, 0], "")])).toEqual([]);
    expect(edited("a\nb!\nc\nd", "a\nd", [edit([0, 1], [2, 1], "")])).toEqual([]);
  });

  it("follow several edits of one change", () => {
    const edits = [edit([0, 0], [0, 0], "x\n"), edit([2, 0], [2, 0], "y\n")];
    expect(edited("a\nb!\nc!", "x\na\nb!\ny\nc!", edits)).toEqual([3, 5]);
  });

  it("are found in a file that was changed elsewhere, where their text is there once", () => {
    const marks = [
      { line: 1, text: "a = 1" },
      { line: 2, text: "b = 2" },
      { line: 3, text: "c = 3" },
    ];
    expect(inText(marks, ["new", "a = 1", "  b = 2", "c", "a = 1"])).toEqual({
      kept: [{ line: 3, text: "b = 2" }],
      lost: [marks[0], marks[2]],
    });
    expect(inText(marks, ["a = 1", "b = 2", "c = 3", "a = 1"]).kept).toEqual(marks);
  });
});
