/** The fuzzer finds what it is there for, and says at which input. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { attempt } from "./driver.ts";
import { readers } from "./readers/broken.ts";
import { readers as sound } from "./readers/said.ts";

const SOUND = fileURLToPath(new URL("./readers/said.ts", import.meta.url));
const MODULE = fileURLToPath(new URL("./readers/broken.ts", import.meta.url));
const WORDS: Readonly<Record<string, RegExp>> = {
  throws: /TypeError: undefined is not a function/,
  "throws in the first process alone": /TypeError: undefined is not a function/,
  hangs: /was not read within 2000 ms/,
  "never answers": /ended the process \(exit status 0\)/,
  "ends the process": /ended the process \(exit status 3\)/,
  "takes memory": /took \d+ bytes of memory/,
  "takes all of the heap": /ended the process .*heap/s,
};

describe("a reader that", { timeout: 300_000 }, () => {
  it.each(readers.map((reader) => [reader.name, reader] as const))(
    "%s is found, with its input",
    async (name, reader) => {
      const { finding } = await attempt(MODULE, reader, name === "hangs" ? 2_000 : 60_000);
      expect(finding?.what).toMatch(WORDS[name] ?? /^$/);
      expect(finding?.input).toContain("U");
      expect(finding?.seed).toBeGreaterThan(0);
      if (name === "throws") expect(finding?.input).toBe("U");
    },
  );
});

describe("processes that share the seeds", { timeout: 300_000 }, () => {
  it("try each of them once", async () => {
    const reader = sound.find(({ name }) => name === "addresses of boards");
    if (reader === undefined) throw new Error("The reader is gone.");
    const alone = await attempt(SOUND, { ...reader, short: 100 });
    const shared = await attempt(SOUND, { ...reader, short: 100 }, 60_000, 3);
    expect([shared.inputs, shared.refused]).toEqual([100, alone.refused]);
    expect(shared.finding).toBeUndefined();
  });

  it("all end when one has found something", async () => {
    const reader = readers.find(({ name }) => name === "throws in the first process alone");
    if (reader === undefined) throw new Error("The reader is gone.");
    const { finding } = await attempt(MODULE, { ...reader, short: 1_000_000_000 }, 60_000, 3);
    expect(finding?.what).toMatch(/TypeError/);
  });
});
