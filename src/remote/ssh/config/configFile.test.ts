import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { directive, readConfigLines } from "./configFile.ts";

it.each([
  ["Host nano board-?", { name: "host", value: "nano board-?" }],
  ["\tHostName = 192.168.55.1 ", { name: "hostname", value: "192.168.55.1" }],
  ["Host=a", { name: "host", value: "a" }],
  ["Host==a", { name: "host", value: "=a" }],
  ["# Host a", undefined],
  ["", undefined],
  ["Host", undefined],
])("takes %j apart as ssh does", (line, expected) => {
  expect(directive(line)).toEqual(expected);
});

it("takes time in proportion to a line of blanks", () => {
  const blanks = " ".repeat(20_000);
  expect(directive(`H${blanks}\u0014${blanks}\n${blanks}`)).toBeUndefined();
  expect(directive(`H${blanks}a${blanks}b${blanks}`)?.value).toBe(`a${blanks}b`);
});

describe("a file that includes others", () => {
  const folder = mkdtempSync(join(tmpdir(), "memprof-config-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  const write = (name: string, lines: readonly string[]): string => {
    writeFileSync(path(name), lines.join("\n"));
    return path(name);
  };
  const many = (count: number, line: string): readonly string[] => Array<string>(count).fill(line);
  write("board", ["Host board"]);

  it("has their lines in its own place", async () => {
    const lines = ["Host a", `Include ${path("bo*")}`, "Host b"];
    expect(await readConfigLines(write("config", lines))).toEqual(["Host a", "Host board", "Host b"]);
  });

  it("looks for so many patterns, found or not", async () => {
    const lines = [...many(1024, `Include ${path("none*")}`), `Include ${path("board")}`, "Host b"];
    expect(await readConfigLines(write("config", lines))).toEqual(["Host b"]);
    expect(await readConfigLines(write("config", lines.slice(1)))).toEqual(["Host board", "Host b"]);
  });

  it("ends where it includes itself", async () => {
    const lines = await readConfigLines(write("config", ["Host a", ...many(6000, `Include ${path("c*")}`)]));
    // Each file is looked into down to the sixteenth level, 256 in all, and no more than 100,000 lines.
    expect(new Set(lines)).toEqual(new Set(["Host a"]));
    expect(lines.length).toBeLessThanOrEqual(256);
  });
});
