/** JUnit's XML, a test case for each check: GitLab, Jenkins and others show it. Pure. */
import type { CheckResult, GateReport } from "../model.ts";
import { checkName, checkTitle, placeText, ruleOf } from "../words.ts";
import { type Level, levelOf } from "./problems.ts";

export function junitReport(report: GateReport, folder: string): string {
  const levels = report.results.map((result) => resultLevel(result, report.strict));
  const count = (level: Level) => levels.filter((one) => one === level).length;
  const totals = `tests="${levels.length}" failures="${count("failure")}" errors="${count("error")}"`;
  const cases = report.results.map((result, index) => testCase(report, result, levels[index], folder));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `  <testsuite name="jetson-memprof" ${totals} skipped="0">`,
    ...cases.map((text) => `    ${text}`),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function testCase(report: GateReport, result: CheckResult, level: Level | undefined, folder: string): string {
  const { check, message, findings } = result;
  // The name stays when a limit is changed, so that CI systems see the same test.
  const name = `name="${attribute(checkName(check))}" classname="${attribute(report.run.title)}"`;
  const details = findings.flatMap(({ message: about, place }) =>
    place === undefined ? [] : [`${placeText(place, folder)}: ${about}`],
  );
  const text = escapeXml([`${checkTitle(check)}: ${message}`, ...details].join("\n"));
  switch (level) {
    case undefined:
      return `<testcase ${name}/>`;
    case "warning":
      return `<testcase ${name}><system-out>${text}</system-out></testcase>`;
    case "failure":
    case "error":
      return `<testcase ${name}><${level} message="${attribute(message)}" type="${ruleOf(check)}">${text}</${level}></testcase>`;
  }
}

function resultLevel({ outcome }: CheckResult, strict: boolean): Level | undefined {
  return outcome === "kept" ? undefined : levelOf(outcome, strict);
}

/** XML has no way at all to write the other characters. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "?")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");
}

function attribute(text: string): string {
  return escapeXml(text).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
}
