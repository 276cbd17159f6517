import { describe, expect, it } from "vitest";
import { statementsOf } from "./statements.ts";

const first = (text: string) => statementsOf(text.split("\n")).first;

describe("the statements of a source", () => {
  it.each([
    ["one to a line", "a = 1\n\n# note (\nb = 2", [1, 2, 3, 4]],
    ["brackets", "a = f(\n  1,\n  [2,\n  3],\n)\nb = 2", [1, 6]],
    ["a bracket in a comment or a string", "a = \"(\"  # ((\nb = '['\nc", [1, 2, 3]],
    ["a backslash", "a = 1 + \\\n  2\nb", [1, 3]],
    ["a backslash in a comment", "a = 1  # \\\nb", [1, 2]],
    ["a string over several lines", 'a = """one (\ntwo \' \\"""\nthree"""\nb', [1, 4]],
    ["three quotes of the other kind within", "a = '''x \"\"\"\ny'''\nb", [1, 3]],
    ["empty strings", "a = ''\nb = \"\"\nc = f('', \"\")\nd", [1, 2, 3, 4]],
    ["an escaped quote", "a = 'it\\'s ('\nb", [1, 2]],
    ["a string that goes on after a backslash", "a = 'one \\\ntwo ('\nb", [1, 3]],
    ["nothing", "", [1]],
  ])("%s", (_, text, expected) => {
    expect(first(text)).toEqual(expected);
  });

  it("are in one line each, and tell which line is of which", () => {
    const { texts, of } = statementsOf(["if x:", "    a = f(", "        1,", "    )", "    b"]);
    expect(texts).toEqual(["if x:", "    a = f( 1, )", "    b"]);
    expect([...of]).toEqual([0, 1, 1, 1, 2]);
  });

  it("are the lines where something stays open, which only a misreading explains", () => {
    expect(first("a = (\nb\nc")).toEqual([1, 2, 3]);
  });
});
