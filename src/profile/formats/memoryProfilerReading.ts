/**
 * Reads text reports of the package memory_profiler, of any version and as they come: with and without the column
 * Occurrences, with several functions, files and runs, with decimal commas, separators of thousands, columns that ran
 * into each other, other output in between, cut off anywhere. The grammar is that of the package's `show_results`:
 * `{line:>6} {usage:>12} {increment:>12}  {occurrences:>10}   {source}`.
 */
import { present } from "../files/jsonRecords.ts";
import type { FileProfile, LineRow } from "../model.ts";

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** One function's (or module's) table. */
export interface ReportSection {
  /** As the report has it; empty where it names none. */
  readonly name: string;
  /** In the report's order. */
  readonly rows: readonly LineRow[];
  /** By line: the source as the report prints it, measured or not. */
  readonly text: ReadonlyMap<number, string>;
}

export interface MemoryProfilerReading {
  readonly sections: readonly ReportSection[];
  /** The last row is not whole. */
  readonly cutOff: boolean;
  /** Rows that are cut off, whose figures are no numbers, or whose line is none: 1-based lines of the report. */
  readonly damaged: readonly number[];
}

const SECTION = /^\s*Filename: (.+?)\s*$/;
const HEADER = /^\s*Line #\s+Mem usage\s+Increment\s+(Occurr?ences\s+)?Line Contents\s*$/;
const RULER = /^=+$/;
/** Separators of thousands besides `.` and `,`: blanks of several widths, apostrophes. */
const APART = " \u00a0\u2009\u202f'’";
const THOUSANDS = String.raw`\d{1,3}(?:[${APART}]\d{3})+`;
const FIGURE = String.raw`([+-]?(?:${THOUSANDS}(?:[.,]\d+)?|[\d.,]+|nan|inf))\s*([KMG]?)i?B`;
/** Columns that are full touch each other. Versions before 0.29 write MB and mean the same. */
const MEASURED = new RegExp(String.raw`^\s*(\d+)\s+${FIGURE}(?:\s*${FIGURE})?(.*)$`, "id");
/** Where the column of usage ends; a figure alone that ends behind it is an increment. */
const USAGE_ENDS = 19;
const OCCURRENCES = new RegExp(String.raw`^\s+(${THOUSANDS}|\d{1,3}(?:[.,]\d{3})+|\d+)(?: {3}(.*)|\s*)$`);
const UNMEASURED = /^\s*(\d+)(?:(\s{20,})(\S.*)?|\s*)$/;
interface Layout {
  /** Where the source begins; the heading's own is one further, as "Occurrences" is wider than its column. */
  readonly content: number;
  readonly occurrences: boolean;
}
const WITHOUT_OCCURRENCES: Layout = { content: 35, occurrences: false };
const WITH_OCCURRENCES: Layout = { content: 47, occurrences: true };
/** The beginning of a measured row. */
const BEGUN = /^\s*\d+\s+[+-]?\d/;
/** What is in no table is taken for a row only with two sizes: the script prints numbers too. */
const TWO_SIZES = /[KMG]i?B.*[KMG]i?B/;
/** What may follow a figure where a row ends within the next one. */
const FIGURE_BEGUN = new RegExp(String.raw`^\s*(?:[+-]|[+-]?\d(?:[\d.,]|[${APART}]\d)*\s*[KMG]?i?)$`);
/** Between the last figure and the source. */
const GAP = 3;

const MOST_LINES = 100_000_000;

/** A line of the report holds a path at most, or a line of source. */
const LONGEST = 20_000;

interface OpenSection {
  readonly name: string;
  readonly rows: LineRow[];
  readonly text: Map<number, string>;
  /** Unknown without a heading. */
  layout: Layout | undefined;
  /** The row just read, where the next line may go on with its source: terminals wrap. */
  last: number | undefined;
  /** An empty line ended the table: what follows is the script's own output, until a measured row. */
  ended: boolean;
}

export function readMemoryProfilerReport(report: string): MemoryProfilerReading {
  const sections: OpenSection[] = [];
  const damaged: number[] = [];
  let cutOff = false;
  const lines = report.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  for (const [position, raw] of lines.entries()) {
    const isLast = position === lines.length - 1;
    const outcome = readLine(sections, raw.slice(0, LONGEST), isLast);
    if (outcome === "cut" && isLast) cutOff = true;
    else if (outcome !== "read") damaged.push(position + 1);
  }
  return { sections: sections.filter(({ rows }) => rows.length > 0), cutOff, damaged };
}

function readLine(sections: OpenSection[], line: string, isLast: boolean): "read" | "cut" | "damaged" {
  const measured = MEASURED.exec(line);
  if (measured === null && addHeading(sections, line)) return "read";
  if (measured !== null && sections.length === 0) begin(sections, "");
  const open = sections.at(-1);
  if (measured === null ? isBegun(open, line, isLast) : isCut(measured, open?.layout, isLast)) {
    if (open !== undefined) open.last = undefined;
    return "cut";
  }
  if (measured === null) addOther(open, line);
  else if (open !== undefined && !addMeasured(open, measured)) return "damaged";
  return "read";
}

/** @param line no measured row as a whole */
function isBegun(open: OpenSection | undefined, line: string, isLast: boolean): boolean {
  const inTable = open !== undefined && !open.ended;
  return BEGUN.test(line) && !UNMEASURED.test(line) && (inTable || isLast || TWO_SIZES.test(line));
}

/**
 * A row that ends within a figure, which looks like a smaller one. The package always prints a source, so the report's
 * last row ends too early where it has none; of others that may have been taken away.
 */
function isCut(match: RegExpExecArray, layout: Layout | undefined, isLast: boolean): boolean {
  const [row, , , , increment, , rest = ""] = match;
  if (layout === undefined) return false;
  if (!isLast) return row.length < layout.content - GAP && FIGURE_BEGUN.test(rest);
  return row.length <= layout.content && (increment === undefined || /^[\s\d]*$/.test(rest));
}

function begin(sections: OpenSection[], name: string, layout?: Layout): void {
  sections.push({ name, rows: [], text: new Map(), layout, last: undefined, ended: false });
}

/** @returns whether the line is one of a section's heading */
function addHeading(sections: OpenSection[], line: string): boolean {
  const section = SECTION.exec(line);
  if (section !== null) {
    begin(sections, section[1] ?? "");
    return true;
  }
  const heading = HEADER.exec(line);
  if (heading === null) return RULER.test(line);
  const layout = heading[1] === undefined ? WITHOUT_OCCURRENCES : WITH_OCCURRENCES;
  const open = sections.at(-1);
  // A second heading under one name is another table of the same file.
  if (open === undefined || open.layout !== undefined) begin(sections, open?.name ?? "", layout);
  else open.layout = layout;
  return true;
}

/** @returns false where a figure is none */
function addMeasured(open: OpenSection, match: RegExpExecArray): boolean {
  const figures = figuresOf(match);
  const line = Number(match[1]);
  open.last = undefined;
  open.ended = false;
  if (figures === undefined || !(line >= 1 && line <= MOST_LINES)) return false;
  const { usage, net } = figures;
  const rest = match[6] ?? "";
  const occurrences = open.layout?.occurrences === false ? null : OCCURRENCES.exec(rest);
  const text = occurrences === null ? rest.replace(/^ {3}/, "") : (occurrences[2] ?? "");
  // The package gives a function's first line the usage at entry as its increment; that is not what it took.
  const begins = open.rows.length === 0 && open.layout !== undefined;
  // Over several calls it adds those up.
  const defines = /^\s*(@|def\b|async\s+def\b)/.test(text);
  const summed = begins && defines && net !== undefined && usage !== undefined && net >= usage;
  const isEntry = summed || (usage === net && (begins || defines));
  const hits = Number(occurrences?.[1]?.replace(/\D/g, ""));
  open.rows.push(
    present({
      line,
      hits: Number.isSafeInteger(hits) ? hits : undefined,
      usage: usage === undefined ? undefined : Math.max(0, Math.round(usage)),
      net: isEntry || net === undefined ? undefined : Math.round(net),
    }),
  );
  if (text !== "" || open.layout !== undefined) open.text.set(line, text.trimEnd());
  open.last = text === "" ? undefined : line;
  return true;
}

function figuresOf(match: RegExpExecArray): { usage: number | undefined; net: number | undefined } | undefined {
  const [, , firstText = "", firstUnit, secondText, secondUnit] = match;
  const first = bytes(firstText, firstUnit);
  if (first === undefined) return undefined;
  if (secondText === undefined) {
    const isIncrement = (match.indices?.[2]?.[1] ?? 0) > USAGE_ENDS;
    return isIncrement ? { usage: undefined, net: first } : { usage: first, net: undefined };
  }
  const second = bytes(secondText, secondUnit);
  return second === undefined ? undefined : { usage: first, net: second };
}

/** A row without figures, or the rest of a source line that was wrapped; all else is none of the report's. */
function addOther(open: OpenSection | undefined, line: string): void {
  if (open === undefined || open.ended) return;
  if (line.trim() === "") {
    open.ended = open.rows.length > 0;
    open.last = undefined;
    return;
  }
  const row = UNMEASURED.exec(line);
  const number = Number(row?.[1]);
  if (row !== null && number >= 1 && number <= MOST_LINES) {
    const from = open.layout?.content ?? line.length;
    // A source that begins further to the left was moved by who copied it: only its indentation is lost.
    const content = line.slice(Math.min(from, line.length - (row[3] ?? "").length));
    open.text.set(number, content.trimEnd());
    open.last = content.trim() === "" ? undefined : number;
    return;
  }
  if (open.last === undefined || /^\s*\d/.test(line)) {
    open.last = undefined;
    return;
  }
  open.text.set(open.last, `${open.text.get(open.last)}${line}`.trimEnd());
}

/** One separator at most: the decimal one, as the package always prints decimals. */
const PLAIN = /^[+-]?(?:\d+[.,]?\d*|[.,]\d+)$/;
/** Thousands by one separator, as often as it takes, then perhaps decimals by another. */
const GROUPED = new RegExp(String.raw`^[+-]?\d{1,3}([.,${APART}])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$`);

/** `1.5`, `1,5`, `1.234,5`, `1,234.5` and `1 234,5`. */
function bytes(text: string, unit: string | undefined): number | undefined {
  const thousands = PLAIN.test(text) ? "" : GROUPED.exec(text)?.[1];
  if (thousands === undefined) return undefined;
  const digits = thousands === "" ? text : text.replaceAll(thousands, "");
  const value = Number(digits.replace(",", ".")) * (UNITS[(unit ?? "").toUpperCase()] ?? 1);
  return Math.abs(value) < 2 ** 60 ? value : undefined;
}

/**
 * The tables of all sections by file: a function that is reported several times, once for each call, is added up.
 * Hits are unknown where one section has none.
 * @param pathOf turns a file name of the report (empty where it names none) into the project's path; undefined
 *   leaves the section out
 */
export function reportedFiles(
  sections: readonly ReportSection[],
  pathOf: (name: string) => string | undefined,
): FileProfile[] {
  const files = new Map<string, Map<number, LineRow>>();
  for (const { name, rows } of sections) {
    const path = pathOf(name);
    if (path === undefined) continue;
    const table = files.get(path) ?? new Map<number, LineRow>();
    files.set(path, table);
    for (const row of rows) {
      const before = table.get(row.line);
      table.set(row.line, before === undefined ? row : sum(before, row));
    }
  }
  return [...files].map(([path, rows]) => ({
    path,
    sha256: "",
    lines: [...rows.values()].sort((a, b) => a.line - b.line),
    functions: [],
  }));
}

function sum(a: LineRow, b: LineRow): LineRow {
  const plus = (x: number | undefined, y: number | undefined) =>
    x === undefined || y === undefined ? undefined : x + y;
  return present({
    line: a.line,
    hits: plus(a.hits, b.hits),
    usage: a.usage === undefined || b.usage === undefined ? (a.usage ?? b.usage) : Math.max(a.usage, b.usage),
    net: plus(a.net, b.net),
  });
}

/** The same for figures that the package's own tables gave, where the function's place says which line is its first. */
export function withoutEntryIncrements(file: FileProfile): FileProfile {
  const entries = new Set(file.functions.flatMap((row) => [row.key, row.defLine]));
  return {
    ...file,
    lines: file.lines.map((row) => {
      const { net, ...others } = row;
      return entries.has(row.line) && net === row.usage ? others : row;
    }),
  };
}
