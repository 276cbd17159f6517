import { describe, expect, it } from "vitest";
import { matchCells, type OpenCell, type ProfiledCell } from "./matching.ts";

const ran = (path: string, text: string, id?: string): ProfiledCell => ({ path, text, ...(id ? { id } : {}) });
const now = (uri: string, text: string, id?: string): OpenCell => ({ uri, text, ...(id ? { id } : {}) });
const pairs = (profiled: readonly ProfiledCell[], open: readonly OpenCell[]) =>
  Object.fromEntries(matchCells(profiled, open));

describe("the cells of a run in the notebook as it is now", () => {
  it("are found by their ids, wherever they are and whatever they say now", () => {
    expect(
      pairs(
        [ran("1", "a = 1", "x"), ran("2", "b = 2", "y")],
        [now("u2", "entirely = other", "y"), now("u1", "a = 1", "x")],
      ),
    ).toEqual({ u1: "1", u2: "2" });
  });

  it("are found by their text where there are no ids, equal ones in order", () => {
    expect(
      pairs(
        [ran("1", "f()"), ran("2", "g()"), ran("3", "f()")],
        [now("a", "f()\r\n"), now("b", "f()"), now("c", "g()")],
      ),
    ).toEqual({ a: "1", b: "3", c: "2" });
  });

  it("are found by the lines they have in common after edits, the most alike first", () => {
    expect(
      pairs(
        [ran("1", "a = 1\nb = 2\nc = 3\nd = 4"), ran("2", "a = 1\nb = 2\nx = 3\ny = 4")],
        [now("u", "a = 1\nb = 2\nx = 3\nz = 9"), now("v", "a = 1\nb = 2\nc = 3\nd = 5")],
      ),
    ).toEqual({ u: "2", v: "1" });
  });

  it("are not found where little is left of them, or where their text was not kept", () => {
    expect(
      pairs([ran("1", "a = 1\nb = 2\nc = 3"), { path: "2", text: undefined }], [now("u", "a = 1\nnew = 2\nmore = 3")]),
    ).toEqual({});
  });

  it("are found by their text where a tool gave the cells new ids", () => {
    expect(pairs([ran("1", "a = 1", "old")], [now("u", "a = 1", "new")])).toEqual({ u: "1" });
  });

  it("are found in a notebook of thousands that was turned round, one of them edited", () => {
    const ran5000 = Array.from({ length: 5000 }, (_, at) => ran(`cell${at}`, `x${at} = ${at}\nkeep(x${at})`));
    const open = ran5000.map(({ path, text }) => now(path, `${text}\n`)).reverse();
    open[7] = now("edited", `${ran5000[4992]?.text}\nmore = 1`);
    const found = matchCells(ran5000, open);
    expect(found.size).toBe(5000);
    expect(found.get("edited")).toBe("cell4992");
    expect([...found].filter(([uri, path]) => uri !== path)).toHaveLength(1);
  });

  it("that a left-out cell's blank text was are not taken from an empty cell", () => {
    expect(pairs([ran("1", "")], [now("u", "\n")])).toEqual({});
  });
});
