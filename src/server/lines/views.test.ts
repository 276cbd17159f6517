import { describe, expect, it } from "vitest";
import type { FileProfile, LineRow } from "../../profile/model.ts";
import { treeFile, treeLines } from "./views.ts";

const file = (path: string, lines: readonly LineRow[]): FileProfile => ({ path, sha256: "", lines, functions: [] });

describe("the lines that the tree lists", () => {
  const a = file("a.py", [
    { line: 1, net: 0, peak: 0 },
    { line: 2, net: 500 },
    { line: 3, net: -900 },
    { line: 4, net: 0, peak: 700 },
  ]);
  const b = file("b.py", [
    { line: 1, net: 500 },
    { line: 2, net: 500 },
  ]);
  const numbers = async (most?: number): Promise<(readonly number[])[]> => {
    const listed = await treeLines([a, b], most);
    return [a, b].map(({ lines }) => lines.filter((row) => listed.has(row)).map(({ line }) => line));
  };

  it("are all that took or gave back anything", async () => {
    expect(await numbers()).toEqual([
      [2, 3, 4],
      [1, 2],
    ]);
  });

  it("are the heaviest where there are very many, no more than that also where several are as heavy", async () => {
    expect(await numbers(2)).toEqual([[3, 4], []]);
    expect(await numbers(4)).toEqual([[2, 3, 4], [1]]);
  });

  it("leave a number of those that are not listed", async () => {
    const listed = await treeLines([a, b], 4);
    expect(treeFile(b, listed, undefined, undefined).functions).toMatchObject([{ lines: [{ line: 1 }], left: 1 }]);
    expect(treeFile(a, listed, undefined, undefined).functions[0]).not.toHaveProperty("left");
  });
});
