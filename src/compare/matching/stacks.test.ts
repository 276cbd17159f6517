import { expect, it } from "vitest";
import type { PythonPlace } from "../../massif/model.ts";
import { matchSources } from "./sourceMatch.ts";
import { laterPlace } from "./stacks.ts";

const file = (path: string, text: string) => ({ path, sha256: text, lines: text.split("|") });
const match = matchSources(
  [file("old.py", "import os|def f():|    a = load()|    b = a|f()"), file("gone.py", "x = 1")],
  [file("new.py", "# new|import os|def f():|    a = load()|f()|g()")],
);
const place = (path: string, line: number, kind: PythonPlace["kind"] = "line"): PythonPlace => ({
  path,
  line,
  function: "f",
  kind,
});

it.each([
  ["a line that moved, in a file that was renamed", place("old.py", 3), place("new.py", 4)],
  ["a function by its definition", place("old.py", 2, "function"), place("new.py", 3, "function")],
  ["a line that is gone", place("old.py", 4), place("old.py (before)", 4)],
  ["a file that is gone", place("gone.py", 1), place("gone.py (before)", 1)],
  ["a library", place("/usr/lib/python3/json.py", 3), place("/usr/lib/python3/json.py", 3)],
  ["the profiler's own code", place("old.py", 3, "profiler"), place("old.py", 3, "profiler")],
])("%s", (_, before, after) => {
  expect(laterPlace(before, match)).toEqual(after);
});
