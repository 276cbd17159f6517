import { describe, expect, it } from "vitest";
import type { LineDelta } from "../../protocol/server.ts";
import type { Position } from "../settings/settings.ts";
import {
  around,
  besideLine,
  blanksIn,
  covers,
  figureBeforeHere,
  type LineRange,
  marksIn,
  moveLines,
  showLines,
} from "./plan.ts";

const MIB = 1024 * 1024;

function delta(line: number, more: Partial<LineDelta> = {}): LineDelta {
  return { line, bytes: 8 * MIB, severity: "low", label: "+8.0 MiB", stale: false, ...more };
}

function plan(lines: readonly LineDelta[], visible: readonly LineRange[], lineCount: number, threshold: number) {
  const shown = showLines({ lines }, { count: lineCount, length: () => 40 }, threshold, "automatic");
  return { marks: marksIn(shown, around(visible)), ruler: shown.ruler };
}

describe("what is decorated", () => {
  it("gives each line the style of its severity and its label", () => {
    const { marks } = plan(
      [delta(1), delta(2, { severity: "freed", label: "-4.0 MiB" })],
      [{ first: 0, last: 10 }],
      20,
      0,
    );
    expect(marks.low).toMatchObject([{ line: 0, text: "+8.0 MiB" }]);
    expect(marks.freed).toMatchObject([{ line: 1, text: "-4.0 MiB" }]);
  });

  it("decorates only near what is visible, in every visible part, and marks the ruler for the whole document", () => {
    const lines = [1, 300, 5000, 9000].map((line) => delta(line, { severity: "high" }));
    const { marks, ruler } = plan(
      lines,
      [
        { first: 250, last: 290 },
        { first: 5050, last: 5090 },
      ],
      10_000,
      0,
    );
    expect(marks.high.map(({ line }) => line)).toEqual([299, 4999]);
    expect(ruler.high).toEqual([0, 299, 4999, 8999].map((line) => ({ first: line, last: line })));
  });

  it("gives the ruler neighbors of one color as one range", () => {
    const high = [4, 5, 6, 9].map((line) => delta(line, { severity: "high" }));
    const { ruler } = plan([...high, delta(7, { severity: "medium" })], [], 20, 0);
    expect(ruler.high).toEqual([
      { first: 3, last: 5 },
      { first: 8, last: 8 },
    ]);
    expect(ruler.medium).toEqual([{ first: 6, last: 6 }]);
  });

  it("marks a line once where visible parts are near each other, in whichever order", () => {
    const lines = Array.from({ length: 900 }, (_, i) => delta(i + 1));
    const parts = [
      { first: 300, last: 320 },
      { first: 200, last: 220 },
    ];
    const { marks } = plan(lines, parts, 900, 0);
    expect(marks.low.map(({ line }) => line)).toEqual(Array.from({ length: 241 }, (_, i) => i + 140));
  });

  it("stays as it is while a scroll keeps away from its ends", () => {
    const at = (first: number): LineRange[] => [{ first, last: first + 40 }];
    const decorated = around(at(1000));
    expect([1000, 955, 1045].map((first) => covers(decorated, at(first)))).toEqual([true, true, true]);
    expect([954, 1046, 5000].map((first) => covers(decorated, at(first)))).toEqual([false, false, false]);
    expect(covers(around(at(0)), at(0))).toBe(true);
  });

  it("leaves out what moved less than the threshold", () => {
    const { marks } = plan(
      [
        delta(1, { bytes: 1000, label: "+1000 B", severity: "none" }),
        delta(2, { bytes: 6 * MIB, label: "peak +6.0 MiB" }),
        delta(3, { bytes: 6 * MIB, label: "-6.0 MiB", severity: "freed" }),
      ],
      [{ first: 0, last: 10 }],
      20,
      MIB,
    );
    expect(marks.none).toEqual([]);
    expect(marks.low).toMatchObject([{ line: 1, text: "peak +6.0 MiB" }]);
    expect(marks.freed).toHaveLength(1);
  });

  it("dims a changed line, says so in words, and keeps it off the ruler", () => {
    const { marks, ruler } = plan([delta(4, { stale: true, severity: "high" })], [{ first: 0, last: 9 }], 9, 0);
    expect(marks.stale).toMatchObject([{ line: 3, text: "+8.0 MiB (line changed since)" }]);
    expect(marks.high).toEqual([]);
    expect(ruler.high).toEqual([]);
  });

  it("ignores lines outside the document, lines without a label, and doubles", () => {
    const { marks } = plan(
      [delta(0), delta(50), delta(2, { label: "" }), delta(3), delta(3, { bytes: 9 * MIB, label: "+9.0 MiB" })],
      [{ first: 0, last: 9 }],
      10,
      0,
    );
    expect(marks.low).toMatchObject([{ line: 2, text: "+9.0 MiB" }]);
  });
});

describe("where figures stand", () => {
  const lines = [delta(1), delta(3, { label: "+1024.0 MiB" }), delta(4, { label: "" })];
  const shown = (position: Position, longest = 40) =>
    showLines({ lines }, { count: 6, length: (line) => (line === 2 ? longest : 10) }, 0, position);
  const texts = (position: Position, longest?: number) => shown(position, longest).marks.map(({ text }) => text);

  it("is after the lines, or in a column before them, as the user wants", () => {
    expect(texts("afterLine", 500)).toEqual(["+8.0 MiB", "+1024.0 MiB"]);
    expect(texts("beforeLine")).toEqual(["\u00a0\u00a0\u00a0+8.0\u00a0MiB", "+1024.0\u00a0MiB"]);
    expect(shown("beforeLine").side).toEqual({ kind: "before", width: 11 });
  });

  it("is before the lines of a document where one with a figure is long, so that none is out of sight", () => {
    expect(shown("automatic", 80).side.kind).toBe("after");
    expect(shown("automatic", 81).side.kind).toBe("before");
    const document = { count: 6, length: (line: number) => (line === 2 ? 500 : 10) };
    expect(showLines({ lines: [delta(1)] }, document, 0, "automatic").side.kind).toBe("after");
    expect(showLines({ lines: [] }, { count: 6, length: () => 500 }, 0, "beforeLine").side.kind).toBe("after");
  });

  it("has the width of what a terminal or an editor draws, and no words in the column", () => {
    const two = [delta(1, { label: "峰值 +8.0 MiB" }), delta(2, { stale: true })];
    const column = showLines({ lines: two }, { count: 6, length: () => 10 }, 0, "beforeLine");
    expect(column.side).toEqual({ kind: "before", width: 13 });
    expect(column.marks.map(({ text }) => text.replaceAll("\u00a0", " "))).toEqual(["峰值 +8.0 MiB", "     +8.0 MiB"]);
  });

  it("leaves a line's second figure behind the line, so that one such line does not push all code away", () => {
    const label = "+4.0 MiB, peak +512.0 MiB";
    const two = [delta(1, { label, apart: { net: "+4.0 MiB", peak: "peak +512.0 MiB" } }), delta(2)];
    const at = (position: Position) => showLines({ lines: two }, { count: 6, length: () => 10 }, 0, position);
    expect(at("beforeLine").side).toEqual({ kind: "before", width: 8 });
    expect(at("beforeLine").marks[0]).toMatchObject({ text: "+4.0\u00a0MiB", behind: "peak +512.0 MiB" });
    expect(at("afterLine").marks[0]?.text).toBe(label);
  });

  it("keeps the code of lines without a figure in line with the others", () => {
    const ranges = [
      { first: 0, last: 3 },
      { first: 2, last: 9 },
    ];
    expect(blanksIn(marksIn(shown("beforeLine"), ranges), ranges, 6)).toEqual([1, 3, 4, 5]);
  });

  it("moves with the lines below an edit", () => {
    const at = (line: number, more: number) =>
      moveLines(shown("beforeLine"), line, more).marks.map((mark) => mark.line);
    expect(at(0, 2)).toEqual([0, 4]);
    expect(at(2, 1)).toEqual([0, 2]);
    expect(at(1, -1)).toEqual([0]);
    expect(at(0, -1)).toEqual([0, 1]);
    expect(at(-1, 1)).toEqual([1, 3]);
  });
});

describe("where a run that goes on is", () => {
  const shown = showLines(
    { lines: [delta(1)], here: { line: 4, text: "here at 12 s" } },
    { count: 9, length: () => 10 },
    0,
    "automatic",
  );

  it("is marked whether that line has a figure or not", () => {
    expect(shown.here).toEqual({ line: 3, text: "here at 12 s" });
    expect(shown.marks).toMatchObject([{ line: 0 }]);
  });

  it("moves with the lines below an edit, and goes with a line that is deleted", () => {
    expect(moveLines(shown, 0, 2).here?.line).toBe(5);
    expect(moveLines(shown, 5, 2).here?.line).toBe(3);
    expect(moveLines(shown, 2, -1).here).toBeUndefined();
  });

  it("has the line's figure before it, and that of no other line", () => {
    const two = [
      delta(3),
      delta(4, {
        label: "+4.0 MiB, peak +9.0 MiB",
        severity: "high",
        apart: { net: "+4.0 MiB", peak: "peak +9.0 MiB" },
      }),
    ];
    const at = (position: Position, line: number) =>
      showLines({ lines: two, here: { line, text: "here at 12 s" } }, { count: 9, length: () => 10 }, 0, position);
    const beside = (...place: Parameters<typeof at>) => {
      const lines = at(...place);
      return { marks: lines.marks.map((mark) => besideLine(lines, mark)), first: figureBeforeHere(lines) };
    };
    const [low, high] = ["+8.0\u00a0MiB", "+4.0\u00a0MiB"];
    expect(beside("afterLine", 4)).toEqual({
      marks: [{ after: "+8.0 MiB" }, {}],
      first: { line: 3, text: "+4.0 MiB, peak +9.0 MiB", style: "high" },
    });
    expect(beside("beforeLine", 4)).toEqual({
      marks: [{ before: low }, { before: high }],
      first: { line: 3, text: "peak +9.0 MiB", style: "high" },
    });
    // Its figure stands before the line, and nothing else after it.
    expect(beside("beforeLine", 3)).toEqual({
      marks: [{ before: low }, { before: high, after: "peak +9.0 MiB" }],
      first: undefined,
    });
    expect(beside("afterLine", 6).first).toBeUndefined();
    expect(beside("afterLine", 1).first).toBeUndefined();
  });
});
