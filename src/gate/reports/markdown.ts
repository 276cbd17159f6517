/** The report as a table in GitHub's Markdown. Pure. */
import { printable } from "../../profile/text/text.ts";
import type { GateReport } from "../model.ts";
import { checkTitle, placeText } from "../words.ts";
import { OUTCOME_WORDS, verdictText } from "./text.ts";

/** Lines of one check; the rest is counted. */
const MOST = 20;

export function markdownReport(report: GateReport): string {
  const rows = report.results.flatMap(({ check, outcome, message, findings }) => [
    [OUTCOME_WORDS[outcome], checkTitle(check), message].map(escapeMarkdown),
    ...findings
      .flatMap(({ place, ...rest }) => (place === undefined ? [] : [{ ...rest, place }]))
      .slice(0, MOST)
      .map(({ outcome, message, place }) => [
        escapeMarkdown(OUTCOME_WORDS[outcome]),
        `<code>${escapeMarkdown(placeText(place))}</code>`,
        escapeMarkdown(message),
      ]),
    ...(findings.length > MOST ? [["", "", `and ${findings.length - MOST} more`]] : []),
  ]);
  return [
    `### Memory check: ${escapeMarkdown(verdictText(report))}`,
    "",
    escapeMarkdown(report.run.title),
    ...(report.baseline === undefined ? [] : ["", `Baseline: ${escapeMarkdown(report.baseline.title)}`]),
    "",
    "| | Check | Result |",
    "|---|---|---|",
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    ...report.notes.flatMap((note) => ["", `Note: ${escapeMarkdown(note)}`]),
    "",
    "",
  ].join("\n");
}

/** Text of a file or a board shows as it is: no HTML, no links, no end of a cell. */
function escapeMarkdown(text: string): string {
  return printable(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[\\`*_[\]{}()#+!|~@$-]/g, (character) => `&#${character.charCodeAt(0)};`);
}
