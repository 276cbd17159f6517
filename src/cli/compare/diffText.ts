/** A comparison as tables for a terminal. */
import { type LineChanged, ledgerChanges, lineChanges } from "../../compare/changes.ts";
import type { Comparison } from "../../compare/model.ts";
import type { Paint } from "../../profile/lines/annotate.ts";
import { formatCount } from "../../profile/text/format.ts";
import { aligned } from "../../profile/text/table.ts";
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

/** @param all also what did not change */
export function diffText(comparison: Comparison, all: boolean, paint: Paint): string {
  const { notes } = comparison;
  const { before, after } = sideTitles(comparison);
  const parts = [
    t("Before: {0}\nAfter:  {1}", paint.strong(printable(before)), paint.strong(printable(after))),
    ...notes.map((note) => t("Note: {0}", printable(note))),
    "",
    ...table(
      [
        [...figureHeadings(), t("What")],
        ...totalsOf(comparison).map(({ label, difference, unit }) => [...figureCells(difference, unit), label]),
      ],
      paint,
    ),
    "",
    ...lineTables(comparison, all, paint),
    "",
    ...ledgerTable(comparison, all, paint),
    paint.faint(noiseLegend()),
  ];
  return `${parts.join("\n")}\n`;
}

function lineTables(comparison: Comparison, all: boolean, paint: Paint): string[] {
  const { changed, same, unknown } = lineChanges(comparison);
  const listed = all ? [...changed, ...same, ...unknown] : changed;
  const rows = listed.map((row) => lineRow(row, figureName(comparison, row.what)));
  const rest = all ? [] : restText(same.length, unknown.length);
  if (rows.length === 0) return [noRowsText({ same, unknown }), ...rest];
  return [
    paint.strong(all ? t("Lines, largest change first") : t("Lines that changed, largest change first")),
    ...table([[...figureHeadings(), t("Figure"), t("Line"), "", t("Source")], ...rows], paint),
    ...rest,
    paint.faint(netLegend()),
  ];
}

function lineRow(row: LineChanged, figure: string): string[] {
  const texts = [figure, placeText(row), markText(row), row.line.text];
  return [...figureCells(row.difference), ...texts.map(printable)];
}

function restText(same: number, unknown: number): string[] {
  const parts = [
    ...(same === 0 ? [] : [t("{0} lines did not change, or by no more than the noise", formatCount(same))]),
    ...(unknown === 0 ? [] : [t("{0} lines could not be compared", formatCount(unknown))]),
  ];
  return parts.length === 0 ? [] : [t("{0}. --all lists them.", parts.join("; "))];
}

function ledgerTable(comparison: Comparison, all: boolean, paint: Paint): string[] {
  const { ledger } = comparison;
  if (ledger.length === 0) return [];
  const listed = all ? ledger : ledgerChanges(comparison);
  const rows = listed.map(({ difference, label }) => [...figureCells(difference), printable(label)]);
  const rest = ledger.length - listed.length;
  const heading = paint.strong(t("The board's RAM when the run held the most"));
  return [
    heading,
    ...(rows.length === 0 ? [] : table([[...figureHeadings(), t("What")], ...rows], paint)),
    ...(rest === 0
      ? []
      : [t("{0} rows did not change, or by no more than the noise, or are not known.", formatCount(rest))]),
    "",
  ];
}

function table(rows: readonly (readonly string[])[], paint: Paint): string[] {
  return aligned(rows, figureHeadings().length).map((line, row) => (row === 0 ? paint.faint(line) : line));
}
