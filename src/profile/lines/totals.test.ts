import { describe, expect, it } from "vitest";
import type { FileProfile, FunctionRow, Profile } from "../model.ts";
import { readRunFolder } from "../run/runFolder.ts";
import { MIB, makeProject } from "../testing.ts";
import { leastCpuMs } from "../testingTime.ts";
import {
  fileNet,
  fileWeight,
  functionNet,
  functionPeak,
  heaviestLines,
  linesByFunction,
  together,
  wholeOf,
} from "./totals.ts";

function withFunctions(functions: [string, number, number, number?][], lines: number[]): FileProfile {
  return {
    path: "a.py",
    sha256: "",
    lines: lines.map((line) => ({ line, hits: 1, net: line })),
    functions: functions.map(
      ([name, defLine, lastLine, calls = 1]): FunctionRow => ({
        name,
        key: defLine,
        defLine,
        lastLine,
        calls,
        timeNs: 0,
      }),
    ),
  };
}

function shape(file: FileProfile): Record<string, number[]> {
  return Object.fromEntries(linesByFunction(file).map((part) => [part.name, part.lines.map((row) => row.line)]));
}

describe("linesByFunction", () => {
  it("gives a line to the innermost function, and a def line to the scope around it", () => {
    const file = withFunctions(
      [
        ["outer", 2, 10],
        ["outer.<locals>.inner", 4, 6],
        ["later", 12, 14],
      ],
      [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 15],
    );
    expect(shape(file)).toEqual({
      "<module>": [1, 2, 11, 12, 15],
      outer: [3, 4, 7, 10],
      "outer.<locals>.inner": [5, 6],
      later: [13],
    });
  });

  it("finds a function on one line, and does not take a lambda for one", () => {
    expect(shape(withFunctions([["f", 3, 3]], [3]))).toEqual({ f: [3] });
    expect(shape(withFunctions([["f", 3, 3, 0]], [3]))).toEqual({ "<module>": [3] });
    expect(shape(withFunctions([["<lambda>", 3, 3]], [3]))).toEqual({ "<module>": [3] });
  });

  it("keeps the module's own row", () => {
    const file = withFunctions([["<module>", 1, 9]], [1, 2]);
    expect(linesByFunction(file)[0]?.row?.name).toBe("<module>");
  });

  it("is quick with thousands of functions and lines", async () => {
    const functions = Array.from({ length: 5000 }, (_, i): [string, number, number] => [
      `f${i}`,
      10 * i + 1,
      10 * i + 9,
    ]);
    const lines = Array.from({ length: 50_000 }, (_, i) => i + 1);
    const file = withFunctions(functions, lines);
    const work = () => expect(linesByFunction(file)).toHaveLength(5001);
    expect(await leastCpuMs(1000, work)).toBeLessThan(1000);
  });
});

describe("totals of a run", () => {
  let profile: Profile;
  const read = async () => {
    const { run, remove } = makeProject();
    try {
      profile = await readRunFolder(run);
    } finally {
      remove();
    }
  };

  it("count nothing twice", async () => {
    await read();
    const [train, model] = profile.files;
    if (train === undefined || model === undefined) throw new Error("two files expected");
    expect(fileNet(train)).toBe(20 * MIB);
    expect(fileNet(model)).toBe(64 * MIB);
    expect(wholeOf(profile, "rss", undefined)).toBe(140 * MIB);
    expect(wholeOf(profile, "rss", 148 * MIB)).toBe(148 * MIB);
    expect(wholeOf(profile, "cuda", 148 * MIB)).toBe(140 * MIB);
  });

  it("give a function's figures as measured", async () => {
    await read();
    const part = linesByFunction(profile.files[1] as FileProfile)[0];
    if (part === undefined) throw new Error("a function expected");
    expect(part.name).toBe("build");
    expect(functionNet(part)).toBe(64 * MIB);
    expect(functionPeak(part)).toBe(128 * MIB);
  });

  it("stay unknown where nothing was measured", () => {
    const file = withFunctions([], [3]);
    expect(fileNet(file)).toBeUndefined();
    expect(fileWeight(file)).toBe(3);
    expect(functionPeak({ name: "f", defLine: 1, lines: file.lines })).toBeUndefined();
    expect(functionNet({ name: "f", defLine: 1, lines: file.lines })).toBe(3);
  });
});

describe("heaviestLines", () => {
  const file = (path: string, lines: FileProfile["lines"]): FileProfile => ({ path, sha256: "", functions: [], lines });
  const files = [
    file("a.py", [
      { line: 1, hits: 1, net: 5, peak: 1 },
      { line: 2, hits: 1, net: -9 },
      { line: 3, hits: 1, net: 0, peak: 0 },
    ]),
    file("b.py", [
      { line: 1, hits: 1, net: 5, peak: 7 },
      { line: 4, hits: 1, self: 6 },
      { line: 5, hits: 1, net: 0, peak: 90 },
      { line: 6, hits: 1 },
    ]),
  ];

  it("goes by what a line took or gave back, then by what it held for a while", () => {
    expect(heaviestLines({ files }, 9).map(({ path, line }) => `${path}:${line}`)).toEqual([
      "a.py:2",
      "b.py:4",
      "b.py:1",
      "a.py:1",
      "b.py:5",
    ]);
    expect(heaviestLines({ files }, 2)).toHaveLength(2);
    expect(heaviestLines({ files }, 0)).toEqual([]);
  });
});

it("adds up what lines took as one, and holds the most that one of them did", () => {
  const lines = [{ net: 8, peak: 20 }, { net: -2, peak: 5 }, { self: 3 }, {}];
  expect(together(lines)).toEqual({ net: 9, peak: 20 });
  expect(together([{ net: 8 }, { self: 3 }]), "a peak that nobody knows is not 0").toStrictEqual({ net: 11 });
});
