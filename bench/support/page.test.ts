import { describe, expect, it } from "vitest";
import { chart, panelsOf } from "./chart.ts";
import { page } from "./page.ts";
import type { Measured } from "./result.ts";
import { parseResult, serialized } from "./result.ts";
import { contestant, madeUpRow, writtenRow } from "./testing.ts";

const MEASURED: Measured = {
  date: "2026-11-22T15:00:00.000Z",
  commit: "abc1234",
  machine: { cpu: "Some CPU", cores: 2, memoryMiB: 8192, kernel: "Linux 6.1" },
  load: { before: 0.1, after: 1 },
  seconds: 61,
};

describe("the page", () => {
  const nothing = () => undefined;

  it("has each row on top with its figures, goal and verdict", () => {
    const { markdown } = page([{ row: madeUpRow(), measured: MEASURED }], nothing);
    expect(markdown).toContain("Measured on Some CPU, 2 cores, 8.00 GiB of memory, Linux 6.1.");
    expect(markdown).toContain(
      "| [Hot loop, 10^6 lines](#hot-loop-106-lines) | 0.210 s | 0.700 s (Scalene) | ahead of memory_profiler, Scalene | kept, 3.33 × ahead of Scalene |",
    );
    expect(markdown).toContain("none is missed");
  });

  it("has each contestant with version, spread, growth and command, and who was absent", () => {
    const { markdown } = page([{ row: madeUpRow(), measured: MEASURED }], nothing);
    expect(markdown).toContain(
      "| memory_profiler | 1.0 | 26.0 s | ± 0.500 s | could not be run |  | not run at both sizes |",
    );
    expect(markdown).toContain("- pytorch_memlab is not compared: it measures CUDA memory only");
    expect(markdown).toContain("- Scalene: `python3 -m Scalene hot.py`");
  });

  it("tells a goal that is missed, growth that is too fast and a machine that was not quiet", () => {
    const contestants = [contestant("ours", [2, 2], [200, 200]), contestant("a", [1, 1], [10, 10])];
    const row = madeUpRow({ contestants, goal: { kind: "ahead", of: ["a"] } });
    const { markdown } = page([{ row, measured: { ...MEASURED, load: { before: 2, after: 3 } } }], nothing);
    expect(markdown).toContain("**MISSED**, 2.00 × behind a");
    expect(markdown).toContain("n^2.00, **grows faster than n log n**");
    expect(markdown).toContain("**The machine had other work**");
  });

  it("leads to each row, also where two have the same title", () => {
    const rows = [madeUpRow(), madeUpRow({ row: "line-memory/hot" })];
    const { markdown } = page(
      rows.map((row) => ({ row, measured: MEASURED })),
      nothing,
    );
    expect(markdown).toContain("| [**Line engine: added time**](#line-engine-added-time) |");
    expect(markdown).toContain("| [Hot loop, 10^6 lines](#hot-loop-106-lines) |");
    expect(markdown).toContain("| [Hot loop, 10^6 lines](#hot-loop-106-lines-1) |");
  });

  it("never shows a difference below the noise as a number of its own", () => {
    const contestants = [contestant("ours", [-0.1, 0.1, 0], null)];
    const changes = {
      contestants,
      goal: { kind: "bound", atMost: 1 },
      reference: { name: "bare", runs: [[1, 1, 1], null] },
    };
    const { markdown, pictures } = page([{ row: madeUpRow(changes), measured: MEASURED }], nothing);
    expect(markdown).toContain("below the noise (± 0.0500 s)");
    expect(pictures.get("line-time.svg")).toContain("&#60; 0.0500 s");
  });

  it("has the row's own table, folded, its texts as words", () => {
    const table = { title: "What was missed", head: ["script", "a"], rows: [["loops", "<b> | 1"]] };
    const { markdown } = page([{ row: madeUpRow({ table }), measured: MEASURED }], nothing);
    expect(markdown).toContain("<details><summary>What was missed</summary>");
    expect(markdown).toContain("| script | a |\n| --- | --- |\n| loops | &lt;b> \\| 1 |");
  });

  it("puts the written texts where they belong", () => {
    const texts = (name: string) => ({ head: "HEAD", "line-time": "FAMILY", tail: "TAIL" })[name];
    const { markdown } = page([{ row: madeUpRow(), measured: MEASURED }], texts);
    expect(markdown.indexOf("HEAD")).toBeLessThan(markdown.indexOf("FAMILY"));
    expect(markdown.indexOf("FAMILY")).toBeLessThan(markdown.indexOf("TAIL"));
  });

  it("takes nothing of a result as markup", () => {
    const row = madeUpRow({ absent: [{ name: "a", why: "<img src=x> | b" }] });
    expect(page([{ row, measured: MEASURED }], nothing).markdown).toContain("&lt;img src=x> \\| b");
    expect(chart(panelsOf([madeUpRow({ title: "<script>" })]), "&")).not.toContain("<script>");
  });
});

describe("a kept result", () => {
  it("is read as it was written", () => {
    const { row, measured } = parseResult(JSON.parse(serialized(writtenRow(), MEASURED)));
    expect(row).toEqual(madeUpRow());
    expect(measured).toEqual(MEASURED);
  });
});
