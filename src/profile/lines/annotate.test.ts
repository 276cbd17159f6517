import { expect, it } from "vitest";
import type { FileProfile } from "../model.ts";
import { MIB, TRAIN } from "../testing.ts";
import { printable, sourceLines } from "../text/text.ts";
import { annotate, colored, plain } from "./annotate.ts";
import { columnsOf } from "./columns.ts";

const RSS = { choice: "rss", columns: columnsOf("rss"), whole: 100 * MIB } as const;
const file: FileProfile = {
  path: "train.py",
  sha256: "",
  lines: [
    { line: 4, hits: 1, net: 64 * MIB, self: 0, maxIncrement: 64 * MIB, peak: 128 * MIB, usage: 84 * MIB },
    { line: 7, hits: 1234567, net: 12 * MIB, self: 12 * MIB, maxIncrement: 4096, usage: 96 * MIB },
    { line: 8, hits: 1, net: 0, self: 0, maxIncrement: 0, peak: 0, usage: 96 * MIB },
  ],
  functions: [],
};

it("prints every line of the source with aligned figures", () => {
  expect(annotate(file, sourceLines(TRAIN), RSS, plain)).toBe(
    `train.py  +12.0 MiB
Line       Hits        Net    Largest  Peak above entry  Usage after  Source
   1                                                                  import model
   2
   3                                                                  def main():
   4          1  +64.0 MiB  +64.0 MiB        +128.0 MiB     84.0 MiB      net = model.build()
   5                                                                      history = []
   6                                                                      for step in range(3):
   7  1,234,567  +12.0 MiB     +4 KiB                 –     96.0 MiB          history.append(bytearray(4 << 20))
   8          1          0          0                 0     96.0 MiB      return net
   9
  10                                                                  main()`,
  );
});

it("has a column for what is uncertain where something is", () => {
  const lines = file.lines.map((row) => (row.line === 7 ? { ...row, uncertain: 24 * MIB } : { ...row, uncertain: 0 }));
  const text = annotate({ ...file, lines }, sourceLines(TRAIN), RSS, plain).split("\n");
  expect(text[1]).toMatch(/Usage after {3}Uncertain {2}Source$/);
  expect(text[8]).toMatch(/96\.0 MiB {2}± 24\.0 MiB {10}history\.append/);
  expect(text[9]).toMatch(/96\.0 MiB {18}return net$/);
});

it("has another one for the peak", () => {
  const lines = file.lines.map((row) => (row.line === 4 ? { ...row, peakUncertain: 3 * MIB } : row));
  const text = annotate({ ...file, lines }, sourceLines(TRAIN), RSS, plain).split("\n");
  expect(text[1]).toMatch(/Usage after {2}Peak uncertain {2}Source$/);
  expect(text[5]).toMatch(/84\.0 MiB {7}± 3\.0 MiB {6}net = /);
});

it("lists the measured lines alone where the source was not kept", () => {
  const text = annotate(file, undefined, RSS, plain);
  expect(text).toContain("source was not kept");
  expect(text.split("\n")).toHaveLength(6);
});

it("leaves out long stretches of which a report did not have the text", () => {
  const source = [...Array.from({ length: 86 }, () => ""), "net = net.to(device)", "", "done()"];
  const row = { line: 87, hits: 1, net: 64 * MIB };
  const text = annotate({ ...file, lines: [row] }, source, RSS, plain).split("\n");
  expect(text.slice(2).map((line) => line.trim().split(" ")[0])).toEqual(["87", "88", "89"]);
});

it("paints only where asked to", () => {
  expect(annotate(file, sourceLines(TRAIN), RSS, plain)).not.toContain("\u001b");
  expect(annotate(file, sourceLines(TRAIN), RSS, colored)).toContain("\u001b[1;31m+64.0 MiB\u001b[0m");
});

it("paints the figure that weighs, not a 0 beside it", () => {
  const lines = [{ line: 4, hits: 1, net: 0, self: 0, maxIncrement: 0, peak: 128 * MIB, usage: 84 * MIB }];
  const text = annotate({ ...file, lines }, sourceLines(TRAIN), RSS, colored);
  expect(text.replaceAll("\u001b", "ESC")).toMatch(/ 0 +0 +ESC\[1;31m +\+128\.0 MiBESC\[0m/);
});

it("says what a line that never ended took itself until then", () => {
  const lines = [{ line: 4, hits: 1, self: 96 * MIB }];
  expect(annotate({ ...file, lines }, sourceLines(TRAIN), RSS, plain)).toMatch(/ ≥ \+96\.0 MiB +– +– +– +net = /);
});

it("disarms control characters of the source", () => {
  expect(printable("a\tb\u001b[2J\r\u202ec\u0007\u009b")).toBe("a    b?[2J??c??");
  expect(sourceLines("\ufeffa\r\nb\rc\n")).toEqual(["a", "b", "c"]);
});
