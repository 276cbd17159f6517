import { describe, expect, it } from "vitest";
import { heaviestOwnLines, type MeasuredFile, type MeasuredFunction, ownLineText, type ReadLine } from "./ownMemory.ts";

const MIB = 1024 * 1024;

interface Line extends ReadLine {
  readonly line: number;
}

/** Sizes in MiB. */
function line(number: number, text: string, net: number, self: number, peak: number): Line {
  return { line: number, text, net: net * MIB, self: self * MIB, peak: peak * MIB };
}
const fn = (name: string, peak: number | undefined, ...lines: readonly Line[]): MeasuredFunction<Line> => ({
  name,
  peak: peak && peak * MIB,
  lines,
});
const inOne = (...functions: readonly MeasuredFunction<Line>[]): MeasuredFile<Line>[] => [{ path: "a.py", functions }];
const heaviest = (files: readonly MeasuredFile<Line>[], count = 9) =>
  heaviestOwnLines(files, count).map(({ path, row, kind, bytes }) => `${path}:${row.line} ${kind} ${bytes / MIB}`);

describe("the heaviest lines", () => {
  it("are those that took memory themselves, whatever their file, not those that called them", () => {
    const main = fn("<module>", 310, line(1, "net = build()", 300, 0, 310), line(2, "x = bytes(20)", 20, 20, 20));
    const build = fn("build", 310, line(5, "a = bytes(250)", 250, 250, 250), line(6, "b = list(a)", 50, 50, 60));
    const files = [
      { path: "train.py", functions: [main] },
      { path: "model.py", functions: [build] },
    ];
    expect(heaviest(files)).toEqual(["model.py:5 kept 250", "model.py:6 kept 50", "train.py:2 kept 20"]);
    expect(heaviest(files, 1)).toEqual(["model.py:5 kept 250"]);
  });

  it("have what was held for a while on the line that held it, through all its callers", () => {
    const files = inOne(
      fn("<module>", 300.04, line(9, "main()", 0, 0, 300.04)),
      fn("main", 300.02, line(6, "    load()", 0, 0, 300.02)),
      fn("load", 300, line(2, "    n = len(bytes(300 << 20))", 0, 0, 300)),
    );
    expect(heaviest(files)).toEqual(["a.py:2 held 300"]);
  });

  it("leave a caller out also where the function held more at another call", () => {
    const files = inOne(
      fn("<module>", 48, line(9, "load(48)", 0, 0, 48), line(10, "load(16)", 0, 0, 16)),
      fn("load", 48, line(2, "n = len(bytes(size))", 0, 0, 48)),
    );
    expect(heaviest(files)).toEqual(["a.py:2 held 48"]);
  });

  it("tell a line's own part apart from what it called where both are still there", () => {
    const files = inOne(
      fn("<module>", 300, line(9, "x = both(bytes(50))", 300, 50, 300)),
      fn("both", 250, line(2, "y = bytes(250)", 250, 250, 250)),
    );
    expect(heaviest(files)).toEqual(["a.py:2 kept 250", "a.py:9 kept 50"]);
    // Of CUDA a function's own peak is not known.
    const cuda = inOne(
      fn("<module>", undefined, line(9, "main()", 100, 0, 100)),
      fn("main", undefined, line(2, "net.to(device)", 100, 100, 100)),
    );
    expect(heaviest(cuda)).toEqual(["a.py:2 kept 100"]);
  });

  it("know a function that is called without its name, and two that only hold as much", () => {
    const forward = fn("Net.forward", 200, line(3, "    x = x * 2", 0, 0, 199));
    const files = inOne(fn("train", 201, line(9, "out = net(x)", 0, 0, 201)), forward);
    expect(heaviest(files)).toEqual(["a.py:3 held 199"]);
    const loops = inOne(
      fn("train", 300, line(3, "a = x @ y", 0, 0, 300)),
      fn("evaluate", 300, line(7, "b = x @ y", 0, 0, 300)),
    );
    expect(heaviest(loops)).toEqual(["a.py:3 held 300", "a.py:7 held 300"]);
  });

  it("are told by their own part, which is a lower bound where the line never ended", () => {
    const row = { hits: 1, self: 96 * MIB };
    expect(ownLineText({ row, kind: "kept", bytes: 96 * MIB }, "rss")).toBe("≥ +96.0 MiB");
    expect(ownLineText({ row: { ...row, net: 96 * MIB }, kind: "kept", bytes: 96 * MIB }, "cuda")).toBe(
      "CUDA +96.0 MiB",
    );
    expect(ownLineText({ row, kind: "held", bytes: 96 * MIB }, "rss")).toBe("peak +96.0 MiB");
  });

  it("leave out what gave back, took nothing, or is the kernel's noise", () => {
    const files = inOne(
      fn("a", 1, line(1, "del x", -40, -40, 0), line(2, "i += 1", 0, 0, 0.05)),
      fn("b", 8, line(7, "y = bytes(8)", 8, 8, 8)),
    );
    expect(heaviest(files)).toEqual(["a.py:7 kept 8"]);
  });
});
