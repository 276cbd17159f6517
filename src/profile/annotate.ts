/** A measured file as text: every source line with its figures beside it. */
import { type Column, columnsOf, HITS, type MetricChoice, UNCERTAIN_LEGEND } from "./columns.ts";
import { formatChange } from "./format.ts";
import { fileByMetric, metricPrefix } from "./metric.ts";
import type { FileProfile, Metric } from "./model.ts";
import { type Severity, severityOf } from "./severity.ts";
import { printable } from "./text.ts";
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

/** For a terminal that shows colours. */
export const coloured: Paint = {
  severity: (severity, text) => (severity === "none" ? text : sequence(SEVERITY_CODES[severity])(text)),
  strong: sequence("1"),
  faint: sequence("2"),
};

/** What is printed beside the source. */
export interface Annotation {
  readonly choice: MetricChoice;
  /** Bytes, by the choice's measure; see `growth` in totals.ts. */
  readonly growth: number;
}

/** What decides how strongly a line is marked. */
export function markedBy(choice: MetricChoice): Metric {
  return choice === "all" ? "rss" : choice;
}

/** What the columns of these files say. */
export function legendOf(files: readonly FileProfile[], choice: MetricChoice): string {
  const { legend, uncertain } = columnsOf(choice);
  return files.some((file) => isFilled(file, uncertain)) ? `${legend}\n${UNCERTAIN_LEGEND}` : legend;
}

function isFilled(file: FileProfile, column: Column | undefined): boolean {
  return column !== undefined && file.lines.some((row) => column.cell(row) !== "");
}

/** @param source the file's lines as they were run; where they are missing only the measured lines are printed */
export function annotate(
  file: FileProfile,
  source: readonly string[] | undefined,
  { choice, growth }: Annotation,
  paint: Paint,
): string {
  const { figures, uncertain } = columnsOf(choice);
  const columns = [HITS, ...figures, ...(uncertain !== undefined && isFilled(file, uncertain) ? [uncertain] : [])];
  const metric = markedBy(choice);
  const marked = fileByMetric(file, metric);
  const rows = new Map(file.lines.map((row) => [row.line, row]));
  const severities = new Map(marked.lines.map((row) => [row.line, severityOf(row, growth)]));
  const lines = source?.map((_, position) => position + 1) ?? [...rows.keys()];
  const headings = ["Line", ...columns.map(({ heading }) => heading)];
  const cells = lines.map((line) => {
    const row = rows.get(line);
    return [String(line), ...columns.map((column) => (row === undefined ? "" : column.cell(row)))];
  });
  const widths = headings.map((heading, column) =>
    cells.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), heading.length),
  );
  const align = (row: readonly string[]) => row.map((cell, column) => cell.padStart(widths[column] ?? 0));
  const body = lines.map((line, position) => {
    const severity = severities.get(line);
    const aligned = align(cells[position] ?? []);
    if (severity !== undefined) aligned[MARKED] = paint.severity(severity, aligned[MARKED] ?? "");
    return `${aligned.join("  ")}  ${printable(source?.[line - 1] ?? "")}`.trimEnd();
  });
  const net = fileNet(marked);
  const title = net === undefined ? file.path : `${file.path}  ${metricPrefix(metric)}${formatChange(net)}`;
  const missing = source === undefined ? ["(The source was not kept; only the measured lines are listed.)"] : [];
  const heading = `${align(headings).join("  ")}  Source`;
  return [paint.strong(printable(title)), ...missing, paint.faint(heading), ...body].join("\n");
}

/** The column after the line's number and hits. */
const MARKED = 2;
