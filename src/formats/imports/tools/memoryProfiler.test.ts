import { describe, expect, it } from "vitest";
import { bytesOf, contextOf, MIB } from "../testing.ts";
import { importMemoryProfiler } from "./memoryProfiler.ts";

const call = (usage: string, net: string) => `Filename: /home/nano/train.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     1     22.0 MiB     22.0 MiB           1   @profile
     2                                         def main():
     3     ${usage} MiB     ${net} MiB           1       x = load()


`;

describe("importMemoryProfiler", () => {
  it("makes a run of it, whose figures are said to be memory_profiler's", () => {
    const { profile, sources, notes } = importMemoryProfiler(bytesOf(call("42.0", "20.0")), contextOf("report.txt"));
    expect(profile.run).toMatchObject({
      state: "finished",
      engine: { name: "memory_profiler" },
      imported: { format: "memory_profiler", file: "report.txt" },
      command: { script: "train.py" },
      started: "2026-11-22T10:00:00.000Z",
    });
    expect(profile.files[0]?.lines).toEqual([
      { line: 1, hits: 1, usage: 22 * MIB },
      { line: 3, hits: 1, usage: 42 * MIB, net: 20 * MIB },
    ]);
    expect(sources.get("train.py")).toBe("@profile\ndef main():\n    x = load()\n");
    expect(notes).toEqual([]);
  });

  it("adds up the calls of a function and says so", () => {
    const { profile, notes } = importMemoryProfiler(
      bytesOf(call("42.0", "20.0") + call("40.0", "-2.0")),
      contextOf("report.txt"),
    );
    expect(profile.files[0]?.lines[1]).toEqual({ line: 3, hits: 2, usage: 42 * MIB, net: 18 * MIB });
    expect(notes).toEqual([expect.stringMatching(/1 table is of lines that were reported before/)]);
  });

  it("reads the row of a Nano alone, for the file that the user names", () => {
    const row = bytesOf("    87 2081.602 MiB 1585.188 MiB           1   net = net.to(device)\n");
    const { profile } = importMemoryProfiler(row, contextOf("row.txt", {}, { source: "net.py" }));
    expect(profile.files).toEqual([
      {
        path: "net.py",
        sha256: "",
        functions: [],
        lines: [{ line: 87, hits: 1, usage: Math.round(2081.602 * MIB), net: Math.round(1585.188 * MIB) }],
      },
    ]);
  });

  it("takes over what is whole of a half-written report, and says what is not", () => {
    const whole = call("42.0", "20.0").trimEnd();
    const { profile, notes } = importMemoryProfiler(bytesOf(`${whole}\n     4     42.0 Mi`), contextOf("report.txt"));
    expect(profile.files[0]?.lines).toHaveLength(2);
    expect(notes).toEqual(["The report ends in the middle of a row, which was left out."]);
  });

  it("names each row that it cannot read", () => {
    const heavy = call("1 042,0", "1 020,0");
    const broken = call("1 04x,0", "1 020,0");
    const all = broken + heavy;
    const { profile, notes } = importMemoryProfiler(bytesOf(all), contextOf("report.txt"));
    expect(profile.files[0]?.lines[1]).toEqual({ line: 3, hits: 1, usage: 1042 * MIB, net: 1020 * MIB });
    expect(notes).toContain("1 row could not be read and was left out: line 7 of the report.");
    expect(importMemoryProfiler(bytesOf(broken + all), contextOf("report.txt")).notes).toContain(
      "2 rows could not be read and were left out: lines 7, 16 of the report.",
    );
  });

  it("reads a report that PowerShell appended in UTF-16 to one in another encoding", () => {
    const content = Buffer.concat([
      bytesOf(call("42.0", "20.0")),
      Buffer.from(call("2042.0", "2020.0").replaceAll("\n", "\r\n").replaceAll("train.py", "net.py"), "utf16le"),
    ]);
    const { profile, notes } = importMemoryProfiler(content, contextOf("report.txt"));
    expect(profile.files.map(({ path, lines }) => [path, lines[1]?.net])).toEqual([
      ["train.py", 20 * MIB],
      ["net.py", 2020 * MIB],
    ]);
    expect(notes).toEqual([]);
  });

  it("says what it looked for where there is no row", () => {
    expect(() => importMemoryProfiler(bytesOf("hello"), contextOf("a.txt"))).toThrow(/a\.txt .*MiB/);
  });
});
