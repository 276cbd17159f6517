/** memory_profiler's text report, written from a profile so that the two can be compared. */
import type { FileProfile } from "../model.ts";

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
    return layout(String(line), mib(row.usage), mib(row.net), String(row.hits ?? ""), content);
  });
  return `${[`Filename: ${file.path}`, "", HEADER, "=".repeat(HEADER.length), ...printed].join("\n")}\n`;
}

function mib(bytes: number | undefined): string {
  return bytes === undefined ? "" : `${(bytes / MIB).toFixed(3).padStart(7)} MiB`;
}
