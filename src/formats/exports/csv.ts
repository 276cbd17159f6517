/** The figures by line as comma-separated values (RFC 4180), a row for each measured line; docs/export.md. */
import type { LineAtPeak } from "../../massif/lines.ts";
import {
  COLUMN_PREFIX,
  CUDA_FIGURES,
  inOrder,
  LINE_FIGURES,
  namesOf,
  SYSTEM_FIGURES,
} from "../../profile/lines/figureNames.ts";
import { linesByFunction } from "../../profile/lines/totals.ts";
import type { FileProfile, Profile } from "../../profile/model.ts";
import { measuredElsewhere } from "../../profile/text/measuredElsewhere.ts";
import { sourceLines } from "../../profile/text/text.ts";

type Cell = string | number | undefined;

const HEAP_COLUMNS = ["heap_live_bytes", "heap_own_bytes"] as const;

/** Of a run that another tool measured: by which, and what its figures are; the same in every row. */
export const IMPORTED_COLUMNS = { format: "measured_by", measures: "measures" } as const;

/** Of a run under massif: what a line of the project held at the peak. */
export type HeapOfLine = (path: string, line: number) => Pick<LineAtPeak, "total" | "own"> | undefined;

/**
 * @param sources texts of the files by their paths, for the last column
 * @param heap given, there are columns for it
 */
export function* csv(profile: Profile, sources: ReadonlyMap<string, string>, heap?: HeapOfLine): Generator<string> {
  const massif = heap === undefined ? [] : HEAP_COLUMNS;
  const { cuda, system } = COLUMN_PREFIX;
  const [hasCuda, hasSystem] = [profile.metrics.has("cuda"), profile.metrics.has("system")];
  const elsewhere = measuredElsewhere(profile.run);
  const { format, measures } = IMPORTED_COLUMNS;
  const origin = elsewhere && { [format]: elsewhere.format, [measures]: elsewhere.measures };
  const figureColumns = [
    ...namesOf(LINE_FIGURES),
    ...(hasCuda ? namesOf(CUDA_FIGURES, cuda) : []),
    ...(hasSystem ? namesOf(SYSTEM_FIGURES, system) : []),
    ...massif,
  ];
  yield record(["file", "line", "function", ...figureColumns, ...Object.keys(origin ?? {}), "source"]);
  for (const file of profile.files) {
    const text = sources.get(file.path);
    const source = text === undefined ? [] : sourceLines(text);
    const functions = functionNames(file);
    for (const row of file.lines) {
      yield record([
        file.path,
        row.line,
        functions.get(row.line),
        ...inOrder(row, LINE_FIGURES),
        ...(hasCuda ? inOrder(row.cuda, CUDA_FIGURES) : []),
        ...(hasSystem ? inOrder(row.system, SYSTEM_FIGURES) : []),
        ...(heap === undefined ? [] : heapCells(heap(file.path, row.line))),
        ...Object.values(origin ?? {}),
        source[row.line - 1],
      ]);
    }
  }
}

const heapCells = (held: ReturnType<HeapOfLine>): readonly Cell[] => [held?.total, held?.own];

function functionNames(file: FileProfile): ReadonlyMap<number, string> {
  return new Map(linesByFunction(file).flatMap(({ name, lines }) => lines.map(({ line }) => [line, name] as const)));
}

function record(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(",")}\r\n`;
}

/** What is not known is an empty cell. */
function cellText(cell: Cell): string {
  if (cell === undefined) return "";
  if (typeof cell === "number") return String(cell);
  const text = guarded(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A spreadsheet takes a cell that begins with one of these for a formula and runs it, so an apostrophe is put before it,
 * and before one that is there already: `unguarded` in src/formats/imports/own/ownCsv.ts takes off exactly what was put on.
 */
function guarded(text: string): string {
  return /^(?:\s*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]|[\t\r\n']|\uFEFF)/.test(text) ? `'${text}` : text;
}
