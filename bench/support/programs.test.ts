import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { choose, families, familyOf, inOrder, programs } from "./programs.ts";

const PROGRAMS = [
  { command: ["node", "a.mjs"], rows: ["flame/zoom", "flame/memory"] },
  { command: ["node", "b.mjs"], rows: ["line-time/hot"] },
];

describe("choosing rows", () => {
  it("takes all where none is named", () => {
    expect(choose([], PROGRAMS).map(({ rows }) => rows.length)).toEqual([2, 1]);
  });

  it("takes those that begin with a name, and only their programs", () => {
    expect(choose(["flame/z", "line"], PROGRAMS).map(({ rows }) => rows)).toEqual([["flame/zoom"], ["line-time/hot"]]);
    expect(choose(["line"], PROGRAMS)).toHaveLength(1);
  });

  it("tells a name that no row has", () => {
    expect(() => choose(["flane"], PROGRAMS)).toThrow("No row begins with flane. The rows are: flame/zoom");
  });
});

describe("the table of programs", () => {
  it("names programs that are there, each row once, and a title for each family", () => {
    const rows = programs.flatMap((program) => program.rows);
    expect(programs.map(({ command }) => command[1] ?? "").filter((file) => !existsSync(file))).toEqual([]);
    expect(rows.filter((row, at) => rows.indexOf(row) !== at)).toEqual([]);
    expect(rows.filter((row) => families[familyOf(row)] === undefined)).toEqual([]);
  });

  it("gives the page its order", () => {
    const rows = ["formats/time", "nowhere/known", "board/watch", "board/supervisor"];
    expect(inOrder(rows, (row) => row)).toEqual(["board/supervisor", "board/watch", "formats/time", "nowhere/known"]);
  });
});
