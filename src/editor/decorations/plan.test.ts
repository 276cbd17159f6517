import { describe, expect, it } from "vitest";
import type { LineDelta } from "../../protocol/server.ts";
import { planDecorations } from "./plan.ts";

const MIB = 1024 * 1024;

function delta(line: number, more: Partial<LineDelta> = {}): LineDelta {
  return { line, bytes: 8 * MIB, severity: "low", label: "+8.0 MiB", stale: false, ...more };
}

describe("planDecorations", () => {
  it("gives each line the style of its severity and its label", () => {
    const { marks } = planDecorations(
      [delta(1), delta(2, { severity: "freed", label: "-4.0 MiB" })],
      [{ first: 0, last: 10 }],
      20,
      0,
    );
    expect(marks.low).toEqual([{ line: 0, text: "+8.0 MiB" }]);
    expect(marks.freed).toEqual([{ line: 1, text: "-4.0 MiB" }]);
  });

  it("decorates only near what is visible, in every visible part, and marks the ruler for the whole document", () => {
    const lines = [1, 300, 5000, 9000].map((line) => delta(line, { severity: "high" }));
    const { marks, ruler } = planDecorations(
      lines,
      [
        { first: 250, last: 290 },
        { first: 5100, last: 5140 },
      ],
      10_000,
      0,
    );
    expect(marks.high.map(({ line }) => line)).toEqual([299, 4999]);
    expect(ruler.high).toEqual([0, 299, 4999, 8999]);
  });

  it("leaves out what moved less than the threshold", () => {
    const { marks } = planDecorations(
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
    expect(marks.low).toEqual([{ line: 1, text: "peak +6.0 MiB" }]);
    expect(marks.freed).toHaveLength(1);
  });

  it("dims a changed line, says so in words, and keeps it off the ruler", () => {
    const { marks, ruler } = planDecorations(
      [delta(4, { stale: true, severity: "high" })],
      [{ first: 0, last: 9 }],
      9,
      0,
    );
    expect(marks.stale).toEqual([{ line: 3, text: "+8.0 MiB (line changed since)" }]);
    expect(marks.high).toEqual([]);
    expect(ruler.high).toEqual([]);
  });

  it("ignores lines outside the document, lines without a label, and doubles", () => {
    const { marks } = planDecorations(
      [delta(0), delta(50), delta(2, { label: "" }), delta(3), delta(3, { bytes: 9 * MIB, label: "+9.0 MiB" })],
      [{ first: 0, last: 9 }],
      10,
      0,
    );
    expect(marks.low).toEqual([{ line: 2, text: "+9.0 MiB" }]);
  });
});
