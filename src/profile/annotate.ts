/** A measured file as text: every source line with its figures beside it. */
import { formatBytes, formatChange, formatCount } from "./format.ts";
import type { FileProfile, LineRow } from "./model.ts";
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

export const LEGEND = [
  "Hits: times the line ran.  Net: memory (RSS) it took and kept, with everything it called, over all hits.",
  "Largest: the most one hit kept.  Peak above entry: the most one hit held, even where it gave it back.",
  "Usage after: highest RSS right after the line.  -: not measured, as where the line never ended.",
].join("\n");
export const UNCERTAIN_LEGEND = "Uncertain: how much of Net may belong to a neighbouring line or to another thread.";

const HEADINGS = ["Line", "Hits", "Net", "Largest", "Peak above entry", "Usage after"];

/** Whether the file's table has the column Uncertain. */
export function hasUncertain(file: FileProfile): boolean {
  return file.lines.some((row) => (row.uncertain ?? 0) > 0);
}

/**
 * @param source the file's lines as they were run; where they are missing only the measured lines are printed
 * @param runGrowth bytes, for the marking; see `growth` in totals.ts
 */
export function annotate(
  file: FileProfile,
  source: readonly string[] | undefined,
  runGrowth: number,
  paint: Paint,
): string {
  const rows = new Map(file.lines.map((row) => [row.line, row]));
  const lines = source?.map((_, position) => position + 1) ?? [...rows.keys()];
  const uncertain = hasUncertain(file);
  const headings = uncertain ? [...HEADINGS, "Uncertain"] : HEADINGS;
  const cells = lines.map((line) => {
    const row = rows.get(line);
    return uncertain ? [...figureCells(line, row), uncertainCell(row)] : figureCells(line, row);
  });
  const widths = headings.map((heading, column) =>
    cells.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), heading.length),
  );
  const align = (row: readonly string[]) => row.map((cell, column) => cell.padStart(widths[column] ?? 0));
  const body = lines.map((line, position) => {
    const row = rows.get(line);
    const aligned = align(cells[position] ?? []);
    if (row !== undefined) aligned[2] = paint.severity(severityOf(row, runGrowth), aligned[2] ?? "");
    return `${aligned.join("  ")}  ${printable(source?.[line - 1] ?? "")}`.trimEnd();
  });
  const net = fileNet(file);
  const title = net === undefined ? file.path : `${file.path}  ${formatChange(net)}`;
  const missing = source === undefined ? ["(The source was not kept; only the measured lines are listed.)"] : [];
  const heading = `${align(headings).join("  ")}  Source`;
  return [paint.strong(printable(title)), ...missing, paint.faint(heading), ...body].join("\n");
}

function figureCells(line: number, row: LineRow | undefined): string[] {
  if (row === undefined) return [String(line), "", "", "", "", ""];
  return [
    String(line),
    formatCount(row.hits),
    known(row.net, formatChange),
    known(row.maxIncrement, formatChange),
    known(row.peak, formatChange),
    known(row.usage, formatBytes),
  ];
}

function uncertainCell(row: LineRow | undefined): string {
  return row?.uncertain ? `± ${formatBytes(row.uncertain)}` : "";
}

function known(bytes: number | undefined, format: (bytes: number) => string): string {
  return bytes === undefined ? "-" : bytes === 0 ? "0" : format(bytes);
}
