import { describe, expect, it } from "vitest";
import { createLineTable } from "./lineTable.ts";

const row = (file: number, line: number, net: number): readonly unknown[] => [file, line, 1, net, net, net, 9, 9, 0];
const rows = (pid: number, ...all: readonly (readonly unknown[])[]): string =>
  JSON.stringify({ record: "rows", pid, rows: all });
const file = (number: number): string => JSON.stringify({ record: "file", file: number, path: `f${number}.py` });
const LIMITS = { files: 3, lines: 5, processes: 2 };

describe("a line table that a board fills without end", () => {
  it("keeps so many lines, takes their later figures, and says that there were more", async () => {
    const table = createLineTable("lines.jsonl", LIMITS);
    table.add(file(0));
    table.add(rows(1, row(0, 1, 10), row(0, 2, 20), row(0, 3, 30), row(0, 4, 40), row(0, 5, 50)));
    expect((await table.state()).cut).toBe(false);
    table.add(rows(1, row(0, 6, 60), row(0, 1, 11)));
    const { files, cut } = await table.state();
    expect(cut).toBe(true);
    expect(files[0]?.lines.map(({ line, net }) => [line, net])).toEqual([
      [1, 11],
      [2, 20],
      [3, 30],
      [4, 40],
      [5, 50],
    ]);
  });

  it("keeps so many files, over all processes", async () => {
    const table = createLineTable("lines.jsonl", LIMITS);
    for (let number = 0; number < 10; number++) table.add(file(number));
    for (let number = 0; number < 10; number++) table.add(rows(1, row(number, 1, 1)));
    const { files, cut } = await table.state();
    expect(files.map(({ path }) => path)).toEqual(["f0.py", "f1.py", "f2.py"]);
    expect(cut).toBe(true);
    expect(table.path(7)).toBeUndefined();
  });

  it("keeps so many processes, with their places and phases", async () => {
    const table = createLineTable("lines.jsonl", LIMITS);
    table.add(file(0));
    for (let pid = 1; pid < 10; pid++) {
      table.add(JSON.stringify({ record: "process", pid, label: "", kind: "main" }));
      table.add(JSON.stringify({ record: "at", pid, threads: [{ thread: "MainThread", file: 0, line: 1 }] }));
      table.add(JSON.stringify({ record: "phase", pid, phase: "first-backward", t: 1 }));
    }
    const { processes, lastLines, phases, cut } = await table.state();
    expect(processes.length).toBeLessThanOrEqual(2);
    expect(lastLines.map(({ pid }) => pid)).toEqual([1, 2]);
    expect(phases.length).toBeLessThanOrEqual(2);
    expect(cut).toBe(true);
  });
});
