import { describe, expect, it } from "vitest";
import { importMemoryProfiler } from "./memoryProfiler.ts";
import { bytesOf, contextOf, MIB } from "./testing.ts";

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

  it("says what it looked for where there is no row", () => {
    expect(() => importMemoryProfiler(bytesOf("hello"), contextOf("a.txt"))).toThrow(/a\.txt .*MiB/);
  });
});
