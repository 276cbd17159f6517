import { describe, expect, it } from "vitest";
import { compilePattern } from "./pattern.ts";
import { at, randomNumbers } from "./treeTesting.ts";

function matches(source: string, text: string): boolean | string {
  const pattern = compilePattern(source, { ignoreCase: false });
  return pattern.kind === "pattern" ? pattern.matches(text) : pattern.message;
}

describe("a pattern", () => {
  it.each([
    ["", "x", true],
    ["abc", "xxabcx", true],
    ["^at::", "at::empty", true],
    ["^at::", "c10::at::", false],
    ["empty$", "at::empty", true],
    ["a.c", "a\nc", false],
    ["[^a-c]x", "ax", false],
    ["[a-]x", "-x", true],
    ["[\\d-z]", "-", true],
    ["\\bmain\\b", "(below main)", true],
    ["\\Bain", "main", true],
    ["(?:lib)?cudart|cudnn", "libcudnn.so", true],
    ["(?<name>a)b", "ab", true],
    ["std::vector<.*>{1,2}", "std::vector<std::vector<int>>", true],
    ["a{3}", "aa", false],
    ["a{2,}b", "aaab", true],
    ["a{,2}", "a{,2}", true],
    ["{lambda", "f()::{lambda()#1}", true],
    ["\\x41\\u0042\\.", "AB.", true],
    ["(a|)+$", "aaa", true],
    ["()*", "", true],
  ])("%j in %j: %j", (source, text, expected) => {
    expect(matches(source, text)).toBe(expected);
    expect(new RegExp(source).test(text)).toBe(expected);
  });

  it("finds what the built-in ones find", () => {
    const random = randomNumbers(7);
    const pick = <T>(values: readonly T[]): T => at(values, Math.floor(random() * values.length));
    const part = (depth: number): string => {
      const kind = Math.floor(random() * (depth > 2 ? 6 : 9));
      if (kind < 4) return pick(["a", "b", ".", "[ab]", "[^a]", "\\w", "\\b", "^", "$", "c"]);
      if (kind < 6) return `(?:${part(depth + 1)})${pick(["*", "+", "?", "{2}", "{0,2}", "*?", "{1,}"])}`;
      if (kind === 6) return `(${part(depth + 1)}|${part(depth + 1)})`;
      return part(depth + 1) + part(depth + 1);
    };
    for (let round = 0; round < 3000; round++) {
      const source = part(0);
      const text = Array.from({ length: Math.floor(random() * 8) }, () => pick(["a", "b", "c", " "])).join("");
      expect(matches(source, text), `${source} in ${JSON.stringify(text)}`).toBe(new RegExp(source).test(text));
    }
  });

  it.each(["(a+)+$", "(a|a)*$", "(a*)*b", ".*.*.*.*.*.*x", "((((a{1,9}){1,9}){1,9})x)?$"])(
    "takes little time: %s",
    (source) => {
      const begun = performance.now();
      matches(source, `${"a".repeat(20_000)}!`);
      expect(performance.now() - begun).toBeLessThan(10_000);
    },
  );

  it.each([
    ["(", "This is not a regular expression: Unterminated group."],
    ["a**", "This is not a regular expression: Nothing to repeat."],
    ["(?=a)", "Of the groups that begin with (? this search knows only (?:…) and named ones."],
    ["(a)\\1", "This search does not know \\1."],
    ["(?:a{90}){90}", "This regular expression is too long. Use a simpler one."],
    ["(){1000000000}", "This regular expression is too long. Use a simpler one."],
    [`${"(".repeat(200)}${")*".repeat(200)}`, "This regular expression is nested too deeply. Use a simpler one."],
  ])("that cannot be used says why: %s", (source, message) => {
    expect(matches(source, "a")).toBe(message);
  });
});
