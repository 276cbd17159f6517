/** A measured file as text: every source line with its figures beside it. */

import { t } from "../../words/t.ts";
import type { FileProfile, Metric } from "../model.ts";
import { fileName } from "../notebook.ts";
import { formatChange } from "../text/format.ts";
import { displayWidth, padStart } from "../text/table.ts";
import { printable } from "../text/text.ts";
import { type Columns, hitsColumn, isFilled, type MetricChoice } from "./columns.ts";
import { fileByMetric, metricPrefix } from "./metric.ts";
import { type Severity, severityOf } from "./severity.ts";
import { fileNet } from "./totals.ts";

export interface Paint {
  severity(severity: Severity, text: string): string;
  strong(text: string): string;
  faint(text: string): string;
}

export const plain: Paint = { severity: (_, text) => text, strong: (text) => text, faint: (text) => text };

const sequence = (code: string) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
const SEVERITY_CODES: Readonly<Record<Exclude<Severity, "none">, string>> = {
  low: "36",
  medium: "33",
  high: "1;31",
  freed: "32",
};

/** For a terminal that shows colors. */
export const colored: Paint = {
  severity: (severity, text) => (severity === "none" ? text : sequence(SEVERITY_CODES[severity])(text)),
  strong: sequence("1"),
  faint: sequence("2"),
};

/** What is printed beside the source. */
export interface Annotation {
  readonly choice: MetricChoice;
  readonly columns: Columns;
  /** Bytes, by the choice's measure; see `wholeOf` in totals.ts. */
  readonly whole: number;
}

/** What decides how strongly a line is marked. */
export function markedBy(choice: MetricChoice): Metric {
  return choice === "all" ? "rss" : choice;
}

/** What the columns of these files say. */
export function legendOf(files: readonly FileProfile[], { legend, uncertain }: Columns): string {
  const shown = uncertain.filter((column) => isFilled(files, column));
  return [legend, ...shown.map((column) => column.legend)].join("\n");
}

/** @param source the file's lines as they were run; where they are missing only the measured lines are printed */
export function annotate(
  file: FileProfile,
  source: readonly string[] | undefined,
  { choice, columns: { figures, uncertain }, whole }: Annotation,
  paint: Paint,
): string {
  const columns = [hitsColumn(), ...figures, ...uncertain.filter((column) => isFilled([file], column))];
  const metric = markedBy(choice);
  const marked = fileByMetric(file, metric);
  const rows = new Map(file.lines.map((row) => [row.line, row]));
  const lines = source === undefined ? [...rows.keys()] : printedLines(source, rows);
  const headings = ["Line", ...columns.map(({ heading }) => heading)];
  const cells = lines.map((line) => {
    const row = rows.get(line);
    return [String(line), ...columns.map((column) => (row === undefined ? "" : column.cell(row)))];
  });
  const widths = headings.map((heading, column) =>
    cells.reduce((width, row) => Math.max(width, displayWidth(row[column] ?? "")), displayWidth(heading)),
  );
  const align = (row: readonly string[]) => row.map((cell, column) => padStart(cell, widths[column] ?? 0));
  const body = lines.map((line, position) => {
    const row = rows.get(line);
    const aligned = align(cells[position] ?? []).map((cell, column) => {
      const marks = row && columns[column - 1]?.marks?.(row);
      return marks === undefined ? cell : paint.severity(severityOf(marks, whole), cell);
    });
    return `${aligned.join("  ")}  ${printable(source?.[line - 1] ?? "")}`.trimEnd();
  });
  const net = fileNet(marked);
  const name = fileName(file.path);
  const title = net === undefined ? name : `${name}  ${metricPrefix(metric)}${formatChange(net)}`;
  const missing = source === undefined ? [t("(The source was not kept; only the measured lines are listed.)")] : [];
  const heading = `${align(headings).join("  ")}  Source`;
  return [paint.strong(printable(title)), ...missing, paint.faint(heading), ...body].join("\n");
}

/** Of a source that was rebuilt from a report, only parts are known: a longer stretch without text is none of the file's. */
const MOST_EMPTY = 20;

function printedLines(source: readonly string[], rows: ReadonlyMap<number, unknown>): number[] {
  const lines: number[] = [];
  let empty: number[] = [];
  for (const [position, text] of source.entries()) {
    const line = position + 1;
    if (text.trim() === "" && !rows.has(line)) {
      empty.push(line);
      continue;
    }
    lines.push(...(empty.length > MOST_EMPTY ? [] : empty), line);
    empty = [];
  }
  return [...lines, ...(empty.length > MOST_EMPTY ? [] : empty)];
}
