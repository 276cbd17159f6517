/** A comparison as Markdown, for a comment on a pull request. */
import { ledgerChanges, lineChanges } from "../../compare/changes.ts";
import type { Comparison } from "../../compare/model.ts";
import { formatCount } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";
import {
  figureCells,
  figureHeadings,
  figureName,
  markText,
  netLegend,
  noiseLegend,
  noRowsText,
  placeText,
  sideTitles,
  totalsOf,
} from "./diffCells.ts";

/** A comment may have some 65,000 characters. */
const MOST_ROWS = 50;

/** @param all also what did not change, without a limit */
export function diffMarkdown(comparison: Comparison, all: boolean): string {
  const { notes } = comparison;
  const { before, after } = sideTitles(comparison);
  const parts = [
    t("### Memory before and after"),
    t("Before: {0}  \nAfter: {1}", code(before), code(after)),
    table(
      [t("What"), ...figureHeadings()],
      totalsOf(comparison).map(({ label, difference, unit }) => [plain(label), ...figureCells(difference, unit)]),
    ),
    ...lineParts(comparison, all),
    ...ledgerParts(comparison, all),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${plain(note)}`).join("\n")]),
    `<sub>${noiseLegend()} ${netLegend()}</sub>`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function lineParts(comparison: Comparison, all: boolean): string[] {
  const { changed, same, unknown } = lineChanges(comparison);
  const listed = all ? [...changed, ...same, ...unknown] : changed.slice(0, MOST_ROWS);
  const rows = listed.map((row) => [
    code(placeText(row)),
    ...figureCells(row.difference),
    plain([figureName(comparison, row.what), markText(row)].filter((part) => part !== "").join(", ")),
    code(row.line.text),
  ]);
  const left = changed.length - Math.min(changed.length, listed.length);
  const rest = [
    ...(left === 0 ? [] : [t("{0} more changed", formatCount(left))]),
    ...(all || same.length === 0 ? [] : [t("{0} did not, or by no more than the noise", formatCount(same.length))]),
    ...(all || unknown.length === 0 ? [] : [t("{0} could not be compared", formatCount(unknown.length))]),
  ];
  return [
    rows.length === 0
      ? noRowsText({ same, unknown })
      : table([t("Line"), ...figureHeadings(), t("Figure"), t("Source")], rows),
    ...(rest.length === 0 ? [] : [t("Of the other lines, {0}.", rest.join("; "))]),
  ];
}

function ledgerParts(comparison: Comparison, all: boolean): string[] {
  const rows = all ? comparison.ledger : ledgerChanges(comparison);
  if (rows.length === 0) return [];
  return [
    table(
      [t("The board's RAM when the run held the most"), ...figureHeadings()],
      rows.map(({ label, difference }) => [plain(label), ...figureCells(difference)]),
    ),
  ];
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const figures: readonly string[] = figureHeadings();
  const rule = headings.map((heading) => (figures.includes(heading) ? "---:" : "---"));
  return [headings, rule, ...rows].map(line).join("\n");
}

/** Text that cannot begin a link, a mention, a table cell or HTML. */
export function plain(text: string): string {
  return printable(text)
    .replace(/[\\`*_{}[\]<>|~&]/g, "\\$&")
    .replace(/[@#](?=\w)/g, "$&<!-- -->");
}

/** Text as it is, between more backticks than it holds; a bar would end a table's cell even there. */
export function code(text: string): string {
  const shown = printable(text).trim();
  if (shown === "") return "";
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  const padded = shown.startsWith("`") || shown.endsWith("`") ? ` ${shown} ` : shown;
  return `${fence}${padded.replaceAll("|", "\\|")}${fence}`;
}
