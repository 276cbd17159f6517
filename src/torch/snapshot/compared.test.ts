import { describe, expect, it } from "vitest";
import { comparedLines } from "./compared.ts";

const line = (path: string, number: number, bytes: number, name = "forward") => ({
  name,
  place: { path, line: number },
  bytes,
});

describe("lines of two snapshots", () => {
  it("are told by file and number, the greatest difference first, and those of one only are 0 in the other", () => {
    const rows = comparedLines(
      [line("a.py", 1, 100), line("a.py", 2, 50), { name: "MmBackward0", bytes: 7 }],
      [line("a.py", 1, 90), line("b.py", 9, 80), { name: "MmBackward0", bytes: 7 }],
    );
    expect(rows).toEqual([
      { ...row("b.py", 9), here: 0, there: 80 },
      { ...row("a.py", 2), here: 50, there: 0 },
      { ...row("a.py", 1), here: 100, there: 90 },
      { name: "MmBackward0", here: 7, there: 7 },
    ]);
  });

  it("are the same where one has the whole path, and the other that below the project", () => {
    expect(comparedLines([line("net/a.py", 1, 5)], [line("/home/nano/net/a.py", 1, 4)])).toEqual([
      { ...row("net/a.py", 1), here: 5, there: 4 },
    ]);
    expect(comparedLines([line("a.py", 1, 5)], [line("/home/nano/xa.py", 1, 4)])).toHaveLength(2);
  });
});

const row = (path: string, number: number) => ({ name: "forward", place: { path, line: number } });
