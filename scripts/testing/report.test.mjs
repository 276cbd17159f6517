import { describe, expect, test } from "vitest";
import { endedLine, failureLines, report } from "./report.mjs";
import { readSuite, readVitest } from "./results.mjs";

const root = new URL("../..", import.meta.url).pathname;

function outcome(part, tests, more = {}) {
  const job = { name: part, part, alone: ({ file }) => `npm test -- ${file}` };
  return {
    job,
    ok: tests.every(({ state }) => state !== "failed"),
    seconds: 3,
    processor: 2,
    tests,
    flaky: [],
    ...more,
  };
}

const result = (file, state, message = "") => ({ file, line: 7, name: "it works", state, seconds: 2, message });

describe("what vitest reports", () => {
  const of = (more) => JSON.stringify({ testResults: [{ name: `${root}src/a.test.ts`, status: "failed", ...more }] });

  test("a failure has its line, and its message without the stack", () => {
    const failureMessages = [
      `\x1b[31mError: no\x1b[39m\n    at f (${root}src/b.ts:3:1)\n    at ${root}src/a.test.ts:12:5`,
    ];
    const assertionResults = [
      { ancestorTitles: ["a"], title: "b", status: "failed", duration: 1500, failureMessages },
      { ancestorTitles: [], title: "c", status: "pending", failureMessages: [] },
    ];
    expect(readVitest(of({ assertionResults }))).toEqual([
      { file: "src/a.test.ts", line: 12, name: "a > b", state: "failed", seconds: 1.5, message: "Error: no" },
      { file: "src/a.test.ts", line: undefined, name: "c", state: "skipped", seconds: 0, message: "" },
    ]);
  });

  test("a test that took too long is said to have", () => {
    const failureMessages = [`Error: STACK_TRACE_ERROR\n    at ${root}src/a.test.ts:12:5`];
    const assertionResults = [{ ancestorTitles: [], title: "b", status: "failed", failureMessages }];
    expect(readVitest(of({ assertionResults }))[0]?.message).toBe("The test did not end in its time.");
  });

  test("a file that could not be loaded is a failure", () => {
    const [only] = readVitest(of({ assertionResults: [], message: "no such module" }));
    expect(only).toMatchObject({ name: "(the file)", state: "failed", message: "no such module" });
  });
});

describe("what the helper's suite reports", () => {
  const lines = (...all) => all.map((one) => JSON.stringify(one)).join("\n");

  test("a test that never ended is a failure, with its name", () => {
    const at = { file: "test_a.py", test: "A.test_a" };
    const ended = { ...at, state: "passed", seconds: 1, message: "", line: null };
    const hung = { file: "test_b.py", test: "B.test_b", began: true };
    expect(readSuite(lines({ ...at, began: true }, ended, hung))).toMatchObject([
      { file: "python-helper/tests/test_a.py", name: "A.test_a", state: "passed", seconds: 1 },
      { file: "python-helper/tests/test_b.py", name: "B.test_b", state: "failed", message: /middle of this test/ },
    ]);
  });
});

describe("the end of a run", () => {
  const passed = outcome("unit", [result("src/a.test.ts", "passed"), result("src/b.test.ts", "skipped")]);

  test("counts the parts, names the slowest files and ends with the sums", () => {
    const lines = report([passed, { ...passed, seconds: 4 }], { seconds: 5, busy: 0.8 }, "logs");
    expect(lines).toContain("    4 s  src/a.test.ts (unit)");
    expect(lines).toContain("unit                        2        0        2      7 s      4 s");
    expect(lines.at(-1)).toBe("2 passed, 0 failed, 2 skipped");
  });

  test("a failure is told with its place, its message and how to run it alone", () => {
    const failed = outcome("unit", [result("src/a.test.ts", "failed", "1 is not 2\nreally")]);
    expect(endedLine(failed)).toBe("✗ unit: 0 passed, 1 failed in 3 s");
    const told = ["FAILED unit: src/a.test.ts:7 it works", "    1 is not 2", "    really"];
    expect(failureLines(failed.job, failed.tests[0])).toEqual([...told, "    alone: npm test -- src/a.test.ts"]);
    expect(report([failed], { seconds: 5, busy: 0.8 }, "logs").join("\n")).toContain(told.join("\n"));
  });

  test("a story that passed at its second try only is named, with what it said at the first", () => {
    const first = result("test/workbench/stories/a.test.ts", "failed", "no button");
    const flaky = [first, { ...first, name: "it goes on" }];
    const lines = report([{ ...passed, flaky }], { seconds: 5, busy: 0.8 }, "logs");
    const name = "flaky: test/workbench/stories/a.test.ts:7 it works (its file passed at the second try)";
    expect(lines.join("\n")).toContain(`${name}\n    no button\nParts`);
  });

  test("however much failed, sixty lines hold the table, the failures and the sums", () => {
    const message = Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n");
    const tests = Array.from({ length: 200 }, (_, at) => result(`src/${at}.test.ts`, "failed", message));
    const parts = Array.from({ length: 16 }, (_, at) => outcome(`part ${at}`, at === 0 ? tests : [tests[at]]));
    const last = report(parts, { seconds: 5, busy: 0.8 }, "logs").slice(-60);
    expect(last).toContain("Slowest files:");
    expect(last.join("\n")).toMatch(/part +passed +failed/);
    expect(last.filter((line) => line.startsWith("FAILED"))).toHaveLength(7);
    expect(last.join("\n")).toContain("lines more in logs/failures.txt");
  });
});
