/** Logs as nobody should write them: in pieces, without end, with figures that are none. */
import { describe, expect, it } from "vitest";
import { UserError } from "../../profile/userError.ts";
import type { ImportedRun } from "../model.ts";
import { bytesOf, contextOf, MIB, readLog } from "./testing.ts";
import { createLogReader, type LogImporter } from "./text/logReader.ts";
import { mprofLog } from "./tools/mprof.ts";
import { tegrastatsLog } from "./tools/tegrastats.ts";

const mprof = (text: string, sources = {}) => readLog(mprofLog, bytesOf(text), contextOf("m.dat", sources));
const tegrastats = (text: string) => readLog(tegrastatsLog(undefined), bytesOf(text), contextOf("log.txt"));
const repeated = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("");

function inPieces(open: LogImporter, text: string, size: number): ImportedRun {
  const bytes = bytesOf(text);
  const reader = createLogReader(open, contextOf("file"));
  for (let from = 0; from < bytes.length; from += size) reader.push(bytes.subarray(from, from + size));
  return reader.end();
}

describe("a log in pieces", () => {
  const MPROF = `\uFEFFCMDLINE python é.py\r\n${repeated(400, (at) => `MEM ${at}.5 ${100 + at / 10}\r\n`)}CHLD 1 2.0 3.0\nhi\nMEM 1.0 9`;
  const TEGRASTATS = `Tue Jan 26 18:22:31 UTC 2021\n${repeated(400, (at) => `05-15-2023 14:21:${10 + (at % 40)} RAM ${at}/3964MB (lfb 634x4MB)\r`)}`;

  it.each([
    ["mprof", mprofLog, MPROF],
    ["tegrastats", tegrastatsLog(undefined), TEGRASTATS],
  ] as const)("is the same run, wherever it is divided: %s", (_, open, text) => {
    const whole = inPieces(open, text, text.length * 2);
    expect(whole.samples).toHaveLength(400);
    for (const size of [1, 2, 7, 100, 4_096, 4_097]) expect(inPieces(open, text, size)).toEqual(whole);
  });
});

describe("a log of mprof", () => {
  it("with more children and functions than anybody has is read in bounds, and says so", () => {
    const { profile, notes } = mprof(
      `MEM 1.0 1.0\n${repeated(20_000, (at) => `CHLD ${at} 3.0 1.0\nFUNC a.f${at} 1.0 1.0 2.0 2.0\n`)}`,
      { "a.py": "def f7():\n    pass\n" },
    );
    expect(profile.files[0]?.functions.map(({ name }) => name)).toEqual(["f7"]);
    expect(notes).toContain(
      "10,000 or more child processes were measured too, each with at most 3.0 MiB; the timeline has the main process alone.",
    );
    expect(notes.join("\n")).toContain("Marks of more than 10,000 functions: 10,000 of further ones were left out.");
  });

  it("has no figure that is none, wherever it stands", () => {
    const { samples, profile, notes } = mprof(
      [
        "CMDLINE a.py",
        "MEM 1e999 100.0",
        "MEM 5.0 1e999",
        "MEM 6.0 -1e300",
        "MEM 9e300 100.0",
        "MEM 7.0 100.0",
        "CHLD 1 1e999 100.0",
        "FUNC __main__.f 1e999 1.0 2.0 2.0",
        "FUNC __main__.f 1.0 1.0 2.0 -1e999",
        `CHLD ${"1".repeat(50)} 1.0 1.0`,
        `FUNC ${"x".repeat(5_000)} 1.0 1.0 2.0 2.0`,
        "",
      ].join("\n"),
      { "a.py": "def f():\n    pass\n" },
    );
    expect(samples).toEqual([{ t: 0, rss: 7 * MIB, rssPeak: 7 * MIB }]);
    expect(profile.run).toMatchObject({ started: "1970-01-01T00:01:40.000Z", elapsedMs: 0 });
    expect(profile.files).toEqual([]);
    expect(notes).toContain("4 measurements without a readable figure were left out.");
    expect(notes.at(-1)).toMatch(/passed over: 7, 8, 9, 10, 11\.$/);
  });

  it("is refused in words where no time of it is one", () => {
    expect(() => mprof("MEM 1.0 1e999\nMEM 1.0 -1e200\n")).toThrow(UserError);
    expect(() => mprof("MEM 1.0 1e999\n")).toThrow(/its times cannot be read/);
  });

  it("keeps its peak, its beginning and its length when it is thinned, also where the clock goes backwards", () => {
    const count = 150_000;
    const { samples, profile, notes } = mprof(
      repeated(count, (at) => `MEM ${at === 77_777 ? "5000.0" : `${100 + (at % 9)}.0`} ${1_000_000 - at}.0\n`),
    );
    expect(samples.length).toBeLessThanOrEqual(100_000);
    expect(samples[0]?.t).toBe(0);
    expect(samples.at(-1)).toMatchObject({ t: (count - 1) * 1000, rssPeak: 5000 * MIB });
    expect(samples.find(({ rss }) => rss === 5000 * MIB)?.t).toBe((count - 1 - 77_777) * 1000);
    expect(profile.run.elapsedMs).toBe((count - 1) * 1000);
    expect(notes.join("\n")).toMatch(/Of 150,000 measurements/);
  });
});

describe("a log of tegrastats", () => {
  const stamped = (at: number, used = 600) =>
    `05-15-2023 14:${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")} RAM ${used}/3964MB\n`;

  it("whose clock stood still shares the one second among all lines", () => {
    const { samples, profile } = tegrastats(repeated(150_000, (at) => stamped(30, at === 75_000 ? 3_000 : 600)));
    expect(samples.at(-1)?.t).toBe(1000);
    expect(profile.run.elapsedMs).toBe(1000);
    expect(samples.find(({ rss }) => rss === 3_000 * MIB)?.t).toBe(500);
    expect(samples.every(({ t }, at) => t >= (samples[at - 1]?.t ?? 0))).toBe(true);
  });

  it("whose clock jumps to and fro never goes backwards", () => {
    const { samples, notes } = tegrastats(repeated(3_000, (at) => stamped((at * 7_919) % 3_600)));
    expect(samples).toHaveLength(3_000);
    expect(samples.every(({ t }, at) => Number.isFinite(t) && t >= (samples[at - 1]?.t ?? 0))).toBe(true);
    expect(notes.join("\n")).toContain("The clock was set back within the log");
  });

  it("of which one line has no time has none by the clock", () => {
    const { samples, profile, notes } = tegrastats(`${stamped(1)}${stamped(2)}RAM 5/3964MB\n${stamped(50)}`);
    expect(samples.map(({ t }) => t)).toEqual([0, 1000, 2000, 3000]);
    expect(profile.run.started).toBe("2026-11-22T10:00:00.000Z");
    expect(notes.join("\n")).toContain("taken to be 1 s apart");
  });
});

it("no note of a log names an option of the terminal", () => {
  const runs = [mprof("MEM 1.0 1.0\nCHLD 1 1.0 1.0\nFUNC a.b 1.0 1.0 1.0 1.0\nx\n"), tegrastats("RAM 5/3964MB\nx\n")];
  for (const { notes } of runs) expect(notes.join("\n")).not.toMatch(/--\w/);
});
