import { describe, expect, it } from "vitest";
import { languageTag } from "./language.ts";

const CHINESE = { LANG: "zh_CN.UTF-8" };

describe("the language of the command line", () => {
  it("is the locale's, by the variable that goes before the others", () => {
    expect(languageTag(["show", "last"], CHINESE)).toBe("zh_CN.UTF-8");
    expect(languageTag([], { ...CHINESE, LC_MESSAGES: "en_GB.UTF-8" })).toBe("en_GB.UTF-8");
    expect(languageTag([], { LC_ALL: "C", ...CHINESE })).toBe("C");
    expect(languageTag([], { LC_ALL: "", ...CHINESE })).toBe("zh_CN.UTF-8");
    expect(languageTag([], {})).toBe("en");
  });

  it.each([
    [["check", "--max-peak", "1GiB"]],
    [["show", "last", "--json"]],
    [["massif", "massif.out.1", "--folded"]],
    [["export", "last", "--format", "markdown"]],
  ])("is English where a program reads: %s", (argv) => {
    expect(languageTag(argv, CHINESE)).toBe("en");
  });
});
