/** The report as a terminal shows it. Pure. */
import { aligned } from "../../profile/text/table.ts";
import { printable } from "../../profile/text/text.ts";
import type { CheckResult, GateReport, Outcome } from "../model.ts";
import { checkTitle, placeText } from "../words.ts";

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  kept: "kept",
  unsure: "unsure",
  broken: "BROKEN",
  unknown: "UNKNOWN",
};

/** Lines of one check; the rest is counted. */
const MOST = 20;

export function textReport(report: GateReport): string {
  const { run, baseline, results, notes } = report;
  const heads = aligned(
    results.map(({ check, outcome, message }) => [
      OUTCOME_WORDS[outcome],
      printable(checkTitle(check)),
      printable(message),
    ]),
    0,
  );
  const lines = [
    printable(run.title),
    ...(baseline === undefined ? [] : [printable(`Baseline: ${baseline.title}`)]),
    "",
    ...results.flatMap((result, index) => [heads[index] ?? "", ...findingLines(result)]),
    ...(notes.length === 0 ? [] : ["", ...notes.map((note) => printable(`Note: ${note}`))]),
    "",
    verdictText(report),
  ];
  return `${lines.join("\n")}\n`;
}

function findingLines({ outcome, findings }: CheckResult): string[] {
  const placed = findings.flatMap(({ place, ...rest }) => (place === undefined ? [] : [{ ...rest, place }]));
  const lines = placed.slice(0, MOST).flatMap((finding) => {
    const mark = finding.outcome === outcome ? "" : `${OUTCOME_WORDS[finding.outcome]}: `;
    const text = finding.place.text?.trim() ?? "";
    return [
      `    ${placeText(finding.place)}  ${mark}${finding.message}`,
      ...(text === "" ? [] : [`        ${text}`]),
    ].map(printable);
  });
  return placed.length > MOST ? [...lines, `    and ${placed.length - MOST} more`] : lines;
}

export function verdictText({ results, verdict, strict }: GateReport): string {
  const count = (...outcomes: Outcome[]) => results.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const unsure = count("unsure");
  const aside = unsure > 0 && !strict ? `, ${unsure} unsure` : "";
  switch (verdict) {
    case "kept":
      return `All ${results.length} checks are kept${aside}.`;
    case "broken":
      return `${count("broken", ...(strict ? (["unsure"] as const) : []))} of ${results.length} checks failed${aside}.`;
    case "unknown":
      return `${count("unknown")} of ${results.length} checks could not be judged${aside}.`;
  }
}
