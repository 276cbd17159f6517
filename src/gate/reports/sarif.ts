/** SARIF 2.1.0, which GitHub's code scanning and others read. Pure. */
import type { GateReport } from "../model.ts";
import { ruleOf } from "../words.ts";
import type { Level, Problem } from "./problems.ts";

const LEVELS: Readonly<Record<Level, "error" | "warning">> = { failure: "error", error: "error", warning: "warning" };

const RULES: Readonly<Record<string, { readonly short: string; readonly help: string }>> = {
  "run-ending": {
    short: "The script comes to its own end",
    help: "The script ended with an error, or was ended. Its figures are those until then. `jetson-memprof why` says more.",
  },
  "max-peak": {
    short: "The run's peak keeps its limit",
    help: "The run held more memory at once than is allowed. `jetson-memprof show` prints which lines took it.",
  },
  "max-line": {
    short: "Every line keeps its limit",
    help: "A line alone, without the lines that it called, took and kept more memory than is allowed.",
  },
  "max-peak-growth": {
    short: "The run's peak does not grow",
    help: "The run's peak grew against the baseline's by more than is allowed. `jetson-memprof diff` shows where.",
  },
  "max-line-growth": {
    short: "No line's memory grows",
    help: "A line, with what it called, took more memory than in the baseline, by more than is allowed.",
  },
};

/** @param version this program's */
export function sarifReport(report: GateReport, problems: readonly Problem[], version: string): object {
  const used = [...new Set(report.results.map(({ check }) => ruleOf(check)))];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "jetson-memprof", semanticVersion: version, rules: used.map(ruleObject) } },
        originalUriBaseIds: { "%SRCROOT%": { description: { text: "The root of the repository." } } },
        // Columns are not used; the schema wants to know nonetheless.
        columnKind: "utf16CodeUnits",
        results: problems.map((problem) => ({
          ruleId: problem.rule,
          ruleIndex: used.indexOf(problem.rule),
          level: LEVELS[problem.level],
          message: { text: `${problem.title}: ${problem.message}` },
          locations: locationsOf(problem),
          partialFingerprints: { "jetsonMemprof/v1": problem.fingerprint },
        })),
      },
    ],
  };
}

function ruleObject(id: string): object {
  const { short = id, help = id } = RULES[id] ?? {};
  return {
    id,
    shortDescription: { text: short },
    fullDescription: { text: help },
    help: { text: help },
    properties: { tags: ["memory", "performance"] },
  };
}

function locationsOf({ path, line }: Problem): object[] {
  if (path === undefined) return [];
  // Half of a surrogate pair has no bytes that could be escaped.
  const uri = path
    .replace(/\p{Surrogate}/gu, "\ufffd")
    .split("/")
    .map(encodeURIComponent)
    .join("/");
  return [
    {
      physicalLocation: {
        artifactLocation: { uri, uriBaseId: "%SRCROOT%" },
        region: { startLine: line ?? 1 },
      },
    },
  ];
}
