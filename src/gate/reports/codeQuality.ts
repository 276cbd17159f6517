/** GitLab's Code Quality report. Pure. https://docs.gitlab.com/ci/testing/code_quality/ */
import type { Level, Problem } from "./problems.ts";

const SEVERITIES: Readonly<Record<Level, string>> = { failure: "major", error: "critical", warning: "minor" };

export function codeQualityReport(problems: readonly Problem[]): object[] {
  return problems.map(({ rule, title, message, level, path, line, fingerprint }) => ({
    description: `${title}: ${message}`,
    check_name: `jetson-memprof/${rule}`,
    fingerprint,
    severity: SEVERITIES[level],
    // GitLab leaves out what has no place.
    location: { path: path ?? ".", lines: { begin: line ?? 1 } },
  }));
}
