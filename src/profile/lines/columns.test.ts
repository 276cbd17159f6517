import { describe, expect, it } from "vitest";
import type { ImportedFrom, LineRow, Profile } from "../model.ts";
import { PLAIN_RUN } from "../testing.ts";
import { type Columns, columnsOf, columnsOfRun } from "./columns.ts";

const MEMRAY: ImportedFrom = { format: "memray", file: "m.html", measures: "live blocks" };

const headings = ({ figures }: Columns): readonly string[] => figures.map(({ heading }) => heading);

function profile(lines: readonly LineRow[], imported?: ImportedFrom): Pick<Profile, "run" | "files"> {
  const run = { ...PLAIN_RUN, ...(imported === undefined ? {} : { imported }) };
  return { run, files: [{ path: "a.py", sha256: "", lines, functions: [] }] };
}

describe("columnsOfRun", () => {
  it("has those that another tool filled, and says what its figures are, without a word of RSS", () => {
    const { figures, legend } = columnsOfRun(profile([{ line: 1, self: 2 ** 20 }], MEMRAY), "rss");
    expect(figures.map(({ heading }) => heading)).toEqual(["Line alone"]);
    expect(figures[0]?.cell({ line: 1, self: 2 ** 20 })).toBe("+1.0 MiB");
    expect(figures[0]?.cell({ line: 2 })).toBe("–");
    expect(legend).toBe("Figures: live blocks.\nLine alone: of the line itself.\n–: not known.");
  });

  it("keeps a column where there is no figure at all", () => {
    expect(columnsOfRun(profile([], MEMRAY), "rss").figures).toHaveLength(1);
  });

  it("is the usual of runs that this profiler measured, also where they were exported and imported again", () => {
    expect(headings(columnsOfRun(profile([]), "cuda"))).toEqual(headings(columnsOf("cuda")));
    expect(headings(columnsOfRun(profile([], { ...MEMRAY, format: "jetson-memprof" }), "rss"))).toEqual(
      headings(columnsOf("rss")),
    );
  });
});
