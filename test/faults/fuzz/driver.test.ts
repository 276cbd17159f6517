/** The fuzzer finds what it is there for, and says at which input. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { attempt } from "./driver.ts";
import { readers } from "./readers/broken.ts";

const MODULE = fileURLToPath(new URL("./readers/broken.ts", import.meta.url));
const WORDS: Readonly<Record<string, RegExp>> = {
  throws: /TypeError: undefined is not a function/,
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
