/** memory_profiler's text report: written from a profile so that the two can be compared, and read from the package. */
import { present } from "./jsonRecords.ts";
import type { FileProfile, LineRow } from "./model.ts";
import { UserError } from "./userError.ts";

const MIB = 1024 * 1024;

function layout(line: string, usage: string, increment: string, occurrences: string, content: string): string {
  const columns = `${line.padStart(6)} ${usage.padStart(12)} ${increment.padStart(12)}  ${occurrences.padStart(10)}`;
  return `${columns}   ${content}`;
}

const HEADER = layout("Line #", "Mem usage", "Increment", "Occurrences", "Line Contents");

/** @param source the file's lines; where it is missing only the measured lines are printed, without their text */
export function memoryProfilerReport(file: FileProfile, source: readonly string[] | undefined): string {
  const rows = new Map(file.lines.map((row) => [row.line, row]));
  const lines = source?.map((_, position) => position + 1) ?? [...rows.keys()];
  const printed = lines.map((line) => {
    const row = rows.get(line);
    const content = source?.[line - 1] ?? "";
    if (row === undefined) return layout(String(line), "", "", "", content).trimEnd();
    return layout(String(line), mib(row.usage), mib(row.net), String(row.hits), content);
  });
  return `${[`Filename: ${file.path}`, "", HEADER, "=".repeat(HEADER.length), ...printed].join("\n")}\n`;
}

function mib(bytes: number | undefined): string {
  return bytes === undefined ? "" : `${(bytes / MIB).toFixed(3).padStart(7)} MiB`;
}

const MEASURED = /^\s*(\d+)\s+(-?[\d.]+) MiB\s+(-?[\d.]+) MiB(?:\s+(\d+))?(?: {3}(.*))?$/;
const SECTION = /^Filename: (.+)$/;

/**
 * Reads the package's reports. `usage` is after the line, in bytes; `net` the increment. The package gives a
 * function's first line the usage at entry as its increment: that is not what the line took, so it is left out.
 * @param pathOf turns a file name of the report (empty where it names none) into the project's path; undefined
 *   leaves the section out
 * @throws UserError `memory-profiler-old` for the form before 0.58, which has no hit counts
 */
export function importMemoryProfilerReport(text: string, pathOf: (name: string) => string | undefined): FileProfile[] {
  const files = new Map<string, Map<number, LineRow>>();
  let path = pathOf("");
  for (const line of text.split(/\r?\n/)) {
    const section = SECTION.exec(line);
    if (section !== null) {
      path = pathOf(section[1] ?? "");
      continue;
    }
    const row = parseRow(line);
    if (row === undefined || path === undefined) continue;
    let rows = files.get(path);
    if (rows === undefined) {
      rows = new Map();
      files.set(path, rows);
    }
    rows.set(row.line, row);
  }
  return [...files].map(([name, rows]) => ({
    path: name,
    sha256: "",
    lines: [...rows.values()].sort((a, b) => a.line - b.line),
    functions: [],
  }));
}

/** The same for figures that the package's tables gave, where the function's place says which line is its first. */
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

function parseRow(line: string): LineRow | undefined {
  const match = MEASURED.exec(line);
  if (match === null) return undefined;
  const [, number = "", usage = "", increment = "", occurrences, content = ""] = match;
  if (occurrences === undefined) {
    throw new UserError(
      "memory-profiler-old",
      "The memory_profiler report has no Occurrences column, so it was written by a version before 0.58.",
      "Update memory_profiler on the board (python3 -m pip install --upgrade memory_profiler) and profile again.",
    );
  }
  const isEntry = usage === increment && /^\s*(@|def\b|async\s+def\b)/.test(content);
  const bytes = [Number(usage) * MIB, Number(increment) * MIB] as const;
  if (!bytes.every(Number.isFinite) || Number(number) < 1) return undefined;
  return present({
    line: Number(number),
    hits: Number(occurrences),
    usage: Math.round(bytes[0]),
    net: isEntry ? undefined : Math.round(bytes[1]),
  });
}
