import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { MIB, TRAIN } from "../testing.ts";
import { sourceLines } from "../text/text.ts";
import { readMemoryProfilerReport, reportedFiles } from "./memoryProfilerReading.ts";
import { memoryProfilerReport } from "./memoryProfilerReport.ts";

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

const importMemoryProfilerReport = (text: string, pathOf: (name: string) => string | undefined) =>
  reportedFiles(readMemoryProfilerReport(text).sections, pathOf);
const byName = (name: string) => (name === "" ? undefined : name.replace("/home/nano/project/", ""));

describe("readMemoryProfilerReport", () => {
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
      const rows = importMemoryProfilerReport(REPORT.slice(0, size), byName).flatMap((file) => file.lines).length;
      expect(rows).toBeGreaterThanOrEqual(before);
      before = rows;
    }
    expect(before).toBe(4);
  });

  it("reads the form without occurrences, whose source may begin with a number", () => {
    const report = `Filename: a.py

Line #    Mem usage    Increment   Line Contents
================================================
     4     16.2 MiB     16.2 MiB   @profile
     5                             def f(n):
     6     36.2 MiB     20.0 MiB       7 + len(n)
     7     36.2 MiB      0.0 MiB   8   9
`;
    const [section] = readMemoryProfilerReport(report).sections;
    expect(section?.rows).toEqual([
      { line: 4, usage: Math.round(16.2 * MIB) },
      { line: 6, usage: Math.round(36.2 * MIB), net: 20 * MIB },
      { line: 7, usage: Math.round(36.2 * MIB), net: 0 },
    ]);
    expect([...(section?.text ?? [])]).toEqual([
      [4, "@profile"],
      [5, "def f(n):"],
      [6, "    7 + len(n)"],
      [7, "8   9"],
    ]);
  });

  it("takes the usages at entry of several calls, added up, for no increment either", () => {
    const report = REPORT.replace("19.875 MiB   19.875 MiB           1", "21.000 MiB   40.875 MiB           2");
    expect(readMemoryProfilerReport(report).sections[0]?.rows[0]).toEqual({ line: 3, hits: 2, usage: 21 * MIB });
  });

  it("keeps the indentation of the source in every form", () => {
    expect([...(readMemoryProfilerReport(REPORT).sections[0]?.text ?? [])]).toEqual([
      [3, "@profile"],
      [4, "def main():"],
      [5, "    rows = [0] * 1000"],
      [6, "    del rows"],
    ]);
  });

  it("reads columns that ran into each other, and increments wider than theirs", () => {
    const [section] = readMemoryProfilerReport(
      "    87 2081.602 MiB1585.188 MiB           1   net = net.to(device)\n    14     95.1 MiB -4507103.7 MiB     1500015       t = [0]\n",
    ).sections;
    expect(section?.rows).toEqual([
      { line: 87, hits: 1, usage: Math.round(2081.602 * MIB), net: Math.round(1585.188 * MIB) },
      { line: 14, hits: 1500015, usage: Math.round(95.1 * MIB), net: Math.round(-4507103.7 * MIB) },
    ]);
    expect(section?.text.get(14)).toBe("    t = [0]");
  });

  it.each([
    ["19,875 MiB", 19.875 * MIB],
    ["1.019,875 MiB", 1019.875 * MIB],
    ["1,019.875 MiB", 1019.875 * MIB],
    ["1 019,875 MiB", 1019.875 * MIB],
    ["1\u00a0019,875 MiB", 1019.875 * MIB],
    ["1\u202f019.875 MiB", 1019.875 * MIB],
    ["1'019.875 MiB", 1019.875 * MIB],
    ["1\u2019019.875 MiB", 1019.875 * MIB],
    ["1,019,875 KiB", 1019875 * 1024],
    ["1 019 MiB", 1019 * MIB],
    ["20352 KiB", 20352 * 1024],
    ["1.5 GiB", 1.5 * 1024 * MIB],
    ["19.875 MB", 19.875 * MIB],
  ])("reads %s, as other locales and versions print it", (figure, bytes) => {
    const [section] = readMemoryProfilerReport(`     3 ${figure} 1.0 MiB           1   x = 1\r`).sections;
    expect(section?.rows[0]?.usage).toBe(Math.round(bytes));
  });

  it("adds up a function that is reported once for each call", () => {
    const call = (usage: number, net: number) =>
      `Filename: a.py\r\n\r\nLine #    Mem usage    Increment  Occurrences   Line Contents\r\n${"=".repeat(61)}\r\n     2    ${usage}.0 MiB    ${net}.0 MiB           1   x = f()\r\n\r\n\r\n`;
    const [file] = importMemoryProfilerReport(`${call(40, 20)}output of the script\r\n${call(70, -3)}`, (name) => name);
    expect(file?.lines).toEqual([{ line: 2, hits: 2, usage: 70 * MIB, net: 17 * MIB }]);
  });

  it("takes no number that the script printed between two tables for a line of source", () => {
    const [section] = readMemoryProfilerReport(`${REPORT}\n\n1500000\n`).sections.slice(-1);
    expect([...(section?.text.keys() ?? [])]).toEqual([1]);
  });

  it("puts a wrapped line together, and tells where the last row is cut off", () => {
    const wrapped = "     3   19.8 MiB    1.0 MiB           1   call(first,\n second)\n\n   4   1";
    const { sections, cutOff } = readMemoryProfilerReport(wrapped);
    expect(sections[0]?.text.get(3)).toBe("call(first, second)");
    expect(cutOff).toBe(true);
    expect(readMemoryProfilerReport(REPORT).cutOff).toBe(false);
  });

  it.each([
    "     3     83.1 MiB     60",
    "     3     83.1 MiB     60.0 M",
    "     3     83.1 MiB     60.0 MiB          15",
  ])("leaves a last row out that ends within a figure: %o", (row) => {
    const heading = "Filename: a.py\n\nLine #    Mem usage    Increment  Occurrences   Line Contents\n";
    const whole = "     2     23.1 MiB      0.0 MiB           1   x = 1";
    const { sections, cutOff } = readMemoryProfilerReport(`${heading}${whole}\n${row}`);
    expect(sections[0]?.rows.map(({ line }) => line)).toEqual([2]);
    expect(cutOff).toBe(true);
    expect(readMemoryProfilerReport(`${heading}${whole}`).cutOff).toBe(false);
  });

  it("reads increments and occurrences with separators of thousands too", () => {
    const report = "  1000 2 081,602 MiB 1\u00a0585,188 MiB       1 500   x = 1\n";
    const [section] = readMemoryProfilerReport(report).sections;
    expect(section?.rows).toEqual([
      { line: 1000, hits: 1500, usage: Math.round(2081.602 * MIB), net: Math.round(1585.188 * MIB) },
    ]);
    expect(section?.text.get(1000)).toBe("x = 1");
  });

  it.each([
    ["it has no unit", "     5   40.5"],
    ["it ends within its unit", "     5   40.500 M"],
    ["it ends within the increment", "     5   40.500 MiB   20.6"],
    ["it ends within the occurrences", "     5   40.500 MiB   20.625 MiB       15"],
    ["its figure has a letter in it", "     5   4o.500 MiB   20.625 MiB           1       rows = 1"],
    ["its figure has separators at random", "     5   4.0.5 MiB   20.625 MiB           1       rows = 1"],
  ])("says which row in the middle cannot be read, as %s", (_why, row) => {
    const lines = REPORT.split("\n");
    lines[6] = row;
    const { sections, cutOff, damaged } = readMemoryProfilerReport(lines.join("\n"));
    expect(damaged).toEqual([7]);
    expect(cutOff).toBe(false);
    expect(sections[0]?.rows.map(({ line }) => line)).toEqual([3, 6]);
  });

  it("says so of a row that stands alone, but not of numbers that the script printed", () => {
    const rows = "     3 1 01x MiB    1.0 MiB           1   x\n     4   2.0 MiB    1.0 MiB           1   y\n\n5 6\n";
    expect(readMemoryProfilerReport(rows).damaged).toEqual([1]);
  });

  it("misses no source where all rows are without one", () => {
    const bare = REPORT.replace(/(MiB +\d) .*$/gm, "$1");
    const { sections, damaged } = readMemoryProfilerReport(bare);
    expect(damaged).toEqual([]);
    expect(sections[0]?.rows).toHaveLength(3);
  });

  it("passes over rows whose figures are no numbers, and says which", () => {
    const report = "     3   nan MiB    1.0 MiB           1   x\n     0   1.0 MiB    1.0 MiB           1   y\n";
    expect(readMemoryProfilerReport(report)).toMatchObject({ sections: [], damaged: [1, 2] });
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

const fixtures = fileURLToPath(new URL("../../../../shared/fixtures/memory_profiler/", import.meta.url));
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
