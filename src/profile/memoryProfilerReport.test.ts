import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { importMemoryProfilerReport, memoryProfilerReport } from "./memoryProfilerReport.ts";
import { MIB, TRAIN } from "./testing.ts";
import { sourceLines } from "./text.ts";
import { UserError } from "./userError.ts";

const REPORT = `Filename: /home/nano/project/train.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     3   19.875 MiB   19.875 MiB           1   @profile
     4                                         def main():
     5   40.500 MiB   20.625 MiB           3       rows = [0] * 1000
     6   39.500 MiB   -1.000 MiB           1       del rows


Filename: other.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     1   20.000 MiB    0.000 MiB           1   x = "7 1.0 MiB 2.0 MiB 3"
`;

const byName = (name: string) => (name === "" ? undefined : name.replace("/home/nano/project/", ""));

describe("importMemoryProfilerReport", () => {
  it("reads sections, increments and usage; the entry line's first figure is no increment", () => {
    const files = importMemoryProfilerReport(REPORT, byName);
    expect(files.map((file) => file.path)).toEqual(["train.py", "other.py"]);
    expect(files[0]?.lines).toEqual([
      { line: 3, hits: 1, usage: 19.875 * MIB },
      { line: 5, hits: 3, usage: 40.5 * MIB, net: 20.625 * MIB },
      { line: 6, hits: 1, usage: 39.5 * MIB, net: -1 * MIB },
    ]);
    expect(files[1]?.lines).toEqual([{ line: 1, hits: 1, usage: 20 * MIB, net: 0 }]);
  });

  it("leaves out files that are not the project's, and survives being cut off anywhere", () => {
    expect(importMemoryProfilerReport(REPORT, () => undefined)).toEqual([]);
    let before = 0;
    for (let size = 0; size <= REPORT.length; size++) {
      try {
        const rows = importMemoryProfilerReport(REPORT.slice(0, size), byName).flatMap((file) => file.lines).length;
        expect(rows).toBeGreaterThanOrEqual(before);
        before = rows;
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
      }
    }
    expect(before).toBe(4);
  });

  it("refuses the form without hit counts", () => {
    expect(() => importMemoryProfilerReport("     7     79.0 MiB     -1.7 MiB       x = 1\n", () => "a.py")).toThrow(
      /Occurrences/,
    );
  });
});

describe("memoryProfilerReport", () => {
  it("prints the package's layout, which reads back to the same figures", () => {
    const lines = [
      { line: 4, hits: 1, net: 64 * MIB, usage: 84 * MIB },
      { line: 7, hits: 3, net: 12 * MIB, usage: 96.5 * MIB },
    ];
    const text = memoryProfilerReport({ path: "train.py", sha256: "", lines, functions: [] }, sourceLines(TRAIN));
    expect(text.split("\n").slice(0, 9)).toEqual([
      "Filename: train.py",
      "",
      "Line #    Mem usage    Increment  Occurrences   Line Contents",
      "=============================================================",
      "     1                                         import model",
      "     2",
      "     3                                         def main():",
      "     4   84.000 MiB   64.000 MiB           1       net = model.build()",
      "     5                                             history = []",
    ]);
    expect(importMemoryProfilerReport(text, byName)[0]?.lines).toEqual(lines);
  });
});

const fixtures = fileURLToPath(new URL("../../../shared/fixtures/memory_profiler/", import.meta.url));
describe.skipIf(!fs.existsSync(fixtures))("reports that real boards printed", () => {
  const read = (name: string) =>
    importMemoryProfilerReport(fs.readFileSync(fixtures + name, "utf8"), (n) => n || "net.py");

  it("generator_5col.txt", () => {
    const [file] = read("generator_5col.txt");
    expect(file?.path).toBe("generator.py");
    expect(file?.lines).toHaveLength(6);
    expect(file?.lines[1]).toEqual({
      line: 21,
      hits: 100003,
      usage: Math.round(20.641 * MIB),
      net: Math.round(0.766 * MIB),
    });
  });

  it("jetson_nano_single_row.txt", () => {
    expect(read("jetson_nano_single_row.txt")[0]?.lines).toEqual([
      { line: 87, hits: 1, usage: Math.round(2081.602 * MIB), net: Math.round(1585.188 * MIB) },
    ]);
  });

  it("negative_increment.txt", () => {
    expect(read("negative_increment.txt")[0]?.lines.map((row) => row.net)).toEqual([
      undefined,
      Math.round(-1.7 * MIB),
      Math.round(1.1 * MIB),
      Math.round(4 * MIB),
    ]);
  });
});
