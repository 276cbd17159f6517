import { expect, test } from "vitest";
import { failuresByTest } from "./stressTable.mjs";

const result = (name, state) => ({ file: "a.test.ts", name, state, seconds: 1, message: "" });
const round = (tests, flaky = []) => [{ job: { name: "unit", part: "unit" }, ok: true, seconds: 1, tests, flaky }];

test("counts the rounds in which each test failed, the most often first", () => {
  const rounds = [
    round([result("a", "failed"), result("b", "failed")]),
    round([result("a", "passed"), result("b", "failed"), result("c", "skipped")]),
    round([result("b", "passed")], [{ ...result("d", "failed"), file: "s.test.ts" }]),
  ];
  expect(failuresByTest(rounds)).toEqual([
    "3 rounds, 5 tests: 3 failed",
    "2 of 3  unit: a.test.ts b",
    "1 of 3  unit: a.test.ts a",
    "1 of 3  unit: s.test.ts d (at its first try)",
  ]);
  expect(failuresByTest([round([result("a", "passed")])])).toEqual(["1 rounds, 1 tests: nothing failed"]);
});
