import { describe, expect, it } from "vitest";
import { judge } from "../judge.ts";
import type { Check, GateReport } from "../model.ts";
import { comparedLine, comparison, difference, judged, MIB } from "../testing.ts";
import { codeQualityReport } from "./codeQuality.ts";
import { githubAnnotations } from "./github.ts";
import { jsonReport } from "./json.ts";
import { junitReport } from "./junit.ts";
import { markdownReport } from "./markdown.ts";
import { type Problem, problemsOf } from "./problems.ts";
import { sarifReport } from "./sarif.ts";
import { textReport } from "./text.ts";

const CHECKS: readonly Check[] = [
  { kind: "ending" },
  { kind: "peak", metric: "rss", limit: 100 * MIB },
  { kind: "line", metric: "rss", limit: 60 * MIB },
  { kind: "peak-growth", metric: "rss", limit: 500 * MIB },
  { kind: "line-growth", metric: "cuda", limit: 50 * MIB },
];
const report = judge(
  CHECKS,
  judged({}, comparison([comparedLine(2, difference(0, 0))], { notes: ["Other boards."] })),
  false,
);
const problems = problemsOf(report, "models/nano");

/** Names and texts that try to break out of every format. */
const EVIL = "a,b:c%\r\n::error::]]>&<b>\"'|`\u0000\u001b[31m\u202e\ud800.py";
const evil: GateReport = {
  ...report,
  run: { folder: "/runs/x", title: EVIL },
  results: [
    {
      check: { kind: "line", metric: "rss", limit: MIB },
      outcome: "broken",
      message: EVIL,
      findings: [{ outcome: "broken", message: EVIL, place: { path: EVIL, line: 3, text: EVIL } }],
    },
  ],
  notes: [EVIL],
};

describe("the report in a terminal", () => {
  it("has a line for each check and the lines of the sources below it", () => {
    expect(textReport(report)).toBe(`train.py
Baseline: before

kept     The script's end                                  The script came to its own end.
BROKEN   Peak RSS, at most 100.0 MiB                       It was 148.0 MiB: 48.0 MiB above the limit.
BROKEN   RSS of a line alone, at most 60.0 MiB             One line is above the limit.
    train.py:2  This line alone took 64.0 MiB of RSS, 4.0 MiB above the limit.
        line_2()
kept     Growth of: Peak RSS, at most 500.0 MiB            It grew by 48.0 MiB, from 100.0 MiB to 148.0 MiB.
UNKNOWN  Growth of a line's CUDA memory, at most 50.0 MiB  Not both runs have figures of CUDA memory by line.

Note: Other boards.

2 of 5 checks failed.
`);
  });

  it("holds nothing that a terminal would obey", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(textReport(evil)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

describe("problems", () => {
  it("name files from the repository's root, and the program for the run as a whole", () => {
    expect(problems).toMatchObject([
      { rule: "max-peak", level: "failure", path: "models/nano/train.py" },
      { rule: "max-line", level: "failure", path: "models/nano/train.py", line: 2 },
      { rule: "max-line-growth", level: "error" },
    ]);
    expect(problems[0]).not.toHaveProperty("line");
    expect(problemsOf(report, "")[1]?.path).toBe("train.py");
  });

  it("of a notebook name the cell and stand at its file, whose lines are others", () => {
    const place = { path: "a.ipynb#cell3.py", line: 2 };
    const results = evil.results.map((result) => ({
      ...result,
      findings: [{ outcome: "broken" as const, message: "Too much.", place }],
    }));
    const [problem] = problemsOf({ ...evil, results }, "nets");
    expect(problem).toMatchObject({ path: "nets/a.ipynb", message: "Cell 3, line 2: Too much." });
    expect(problem).not.toHaveProperty("line");
    expect(textReport({ ...evil, results })).toContain("cell 3 of a.ipynb:2  Too much.");
    expect(junitReport({ ...evil, results }, "nets")).toContain("cell 3 of nets/a.ipynb:2: Too much.");
  });

  it("keep their fingerprint when the line moves and the figure or the limit changes, and differ where the text is twice", () => {
    const finding = (line: number, text: string) => ({
      outcome: "broken" as const,
      message: `${line}`,
      place: { path: "a.py", line, text },
    });
    const of = (limit: number, ...lines: number[]) =>
      problemsOf(
        {
          ...report,
          results: [
            {
              check: { kind: "line", metric: "rss", limit },
              outcome: "broken",
              message: "",
              findings: lines.map((line) => finding(line, "x()")),
            },
          ],
        },
        "",
      ).map(({ fingerprint }) => fingerprint);
    const [first, second] = of(1, 4, 8);
    expect(of(2, 99)).toEqual([first]);
    expect(second).not.toBe(first);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("annotations of GitHub", () => {
  it("are workflow commands", () => {
    expect(githubAnnotations(problems)).toBe(
      [
        "::error file=models/nano/train.py,title=Peak RSS%2C at most 100.0 MiB::It was 148.0 MiB: 48.0 MiB above the limit.",
        "::error file=models/nano/train.py,line=2,title=RSS of a line alone%2C at most 60.0 MiB::This line alone took 64.0 MiB of RSS, 4.0 MiB above the limit.",
        "::error file=models/nano/train.py,title=Growth of a line's CUDA memory%2C at most 50.0 MiB::Not both runs have figures of CUDA memory by line.",
        "",
      ].join("\n"),
    );
    const [first] = problems;
    expect(githubAnnotations([{ ...(first as Problem), level: "warning" }])).toMatch(/^::warning /);
  });

  it("cannot be broken out of by a file's name or a message", () => {
    const [text, end, ...more] = githubAnnotations(problemsOf(evil, "")).split("\n");
    expect([end, more]).toEqual(["", []]);
    expect(text).toContain("file=a%2Cb%3Ac%25%0D%0A%3A%3Aerror%3A%3A");
    expect(text).not.toContain("\r");
  });
});

describe("the table for GitHub's summary", () => {
  it("has a row for each check and each line", () => {
    const rows = markdownReport(report)
      .split("\n")
      .filter((line) => line.startsWith("|"));
    expect(rows).toHaveLength(2 + 5 + 1);
    expect(markdownReport(report)).toContain("### Memory check: 2 of 5 checks failed.");
  });

  it("shows hostile text as text", () => {
    const text = markdownReport(evil);
    expect(text).not.toMatch(/<b>|\[31m|`/);
    expect(
      text
        .split("\n")
        .filter((line) => line.startsWith("|"))
        .map((line) => line.split("|").length),
    ).toEqual([5, 5, 5, 5]);
  });
});

describe("JUnit", () => {
  it("has a case for each check, whose name stays when the limit changes", () => {
    const xml = junitReport(report, "models/nano");
    expect(xml).toContain('<testsuites tests="5" failures="2" errors="1">');
    expect(xml).toContain('<testcase name="The script\'s end" classname="train.py"/>');
    expect(xml).toContain(
      '<failure message="One line is above the limit." type="max-line">RSS of a line alone, at most 60.0 MiB: One line is above the limit.\nmodels/nano/train.py:2: This line alone took',
    );
    expect(xml).toContain(
      '<error message="Not both runs have figures of CUDA memory by line." type="max-line-growth">',
    );
  });

  it("escapes all that XML would read, and leaves out what it cannot hold", () => {
    const xml = junitReport(evil, "");
    expect(xml.match(/<[^>]+>/g)).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites tests="1" failures="1" errors="0">',
      '<testsuite name="jetson-memprof" tests="1" failures="1" errors="0" skipped="0">',
      expect.stringMatching(
        /^<testcase name="[^"<]+" classname="a,b:c%&#13;&#10;::error::\]\]&gt;&amp;&lt;b&gt;&quot;'\|`\?\?\[31m\u202e\?\.py">$/,
      ),
      expect.stringMatching(/^<failure message="[^"<]+" type="max-line">$/),
      "</failure>",
      "</testcase>",
      "</testsuite>",
      "</testsuites>",
    ]);
  });

  it("tells of what is unsure without failing, and fails it where that is wanted", () => {
    const unsure: GateReport = {
      ...evil,
      results: evil.results.map((result) => ({ ...result, outcome: "unsure" as const })),
    };
    expect(junitReport(unsure, "")).toMatch(/failures="0"[\s\S]*<system-out>/);
    expect(junitReport({ ...unsure, strict: true }, "")).toContain('failures="1"');
  });
});

it("GitLab's code quality report has what GitLab asks for of each problem", () => {
  for (const entry of codeQualityReport(problems)) {
    expect(entry).toEqual({
      description: expect.any(String),
      check_name: expect.stringMatching(/^jetson-memprof\/max-/),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      severity: expect.stringMatching(/^(minor|major|critical)$/),
      location: { path: "models/nano/train.py", lines: { begin: expect.any(Number) } },
    });
  }
});

describe("SARIF", () => {
  it("has a rule for each check, with help, and results that point at them", () => {
    expect(sarifReport(report, problems, "1.2.3")).toMatchObject({
      $schema: expect.stringContaining("sarif-2.1.0"),
      version: "2.1.0",
      runs: [
        {
          tool: {
            driver: {
              name: "jetson-memprof",
              semanticVersion: "1.2.3",
              rules: ["run-ending", "max-peak", "max-line", "max-peak-growth", "max-line-growth"].map((id) => ({
                id,
                shortDescription: { text: expect.any(String) },
                help: { text: expect.any(String) },
              })),
            },
          },
          results: [
            {
              ruleId: "max-peak",
              ruleIndex: 1,
              level: "error",
              locations: [{ physicalLocation: { region: { startLine: 1 } } }],
            },
            {
              ruleId: "max-line",
              ruleIndex: 2,
              message: { text: expect.stringContaining("took 64.0 MiB") },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: "models/nano/train.py", uriBaseId: "%SRCROOT%" },
                    region: { startLine: 2 },
                  },
                },
              ],
              partialFingerprints: { "jetsonMemprof/v1": expect.any(String) },
            },
            { ruleId: "max-line-growth", ruleIndex: 4 },
          ],
        },
      ],
    });
  });

  it("takes what no URI can hold", () => {
    expect(JSON.stringify(sarifReport(evil, problemsOf(evil, ""), "1"))).toContain("%EF%BF%BD.py");
  });

  it("writes file names as URIs", () => {
    const [problem] = problems;
    const named = { ...(problem as Problem), path: "a b/c:d#e%é.py" };
    expect(JSON.stringify(sarifReport(report, [named], "1"))).toContain('"uri":"a%20b/c%3Ad%23e%25%C3%A9.py"');
  });
});

it("the JSON has sizes in bytes and leaves out what is not known", () => {
  expect(jsonReport(report)).toMatchObject({
    schema: 1,
    verdict: "broken",
    baseline: { title: "before" },
    checks: [
      { kind: "ending", outcome: "kept" },
      { kind: "peak", metric: "rss", limit_bytes: 100 * MIB, findings: [{ actual_bytes: 148 * MIB }] },
      { kind: "line", findings: [{ path: "train.py", line: 2, text: "    line_2()" }] },
      { kind: "peak-growth" },
      { kind: "line-growth", outcome: "unknown", findings: [{ message: expect.any(String) }] },
    ],
    notes: ["Other boards."],
  });
});
