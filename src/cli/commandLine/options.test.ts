import { describe, expect, it } from "vitest";
import { readWords } from "./options.ts";
import { MASSIF } from "./reference/reading.ts";

describe("an option that two words follow", () => {
  it("is taken wherever it stands among the words", () => {
    expect(readWords(["a.out", "--diff", "1", "2", "b.out"], MASSIF.options)).toMatchObject({
      values: { diff: ["1", "2"] },
      positionals: ["a.out", "b.out"],
    });
  });

  it("is none of ours after --", () => {
    const { values, positionals } = readWords(["a.out", "--", "--diff", "1", "2"], MASSIF.options);
    expect(values).not.toHaveProperty("diff");
    expect(positionals).toEqual(["a.out", "--diff", "1", "2"]);
  });

  it("does not take its second word from beyond --", () => {
    expect(() => readWords(["--diff", "1", "--", "2"], MASSIF.options)).toThrow("--diff needs two snapshots");
  });
});
