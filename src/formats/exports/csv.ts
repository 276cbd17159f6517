/** The figures by line as comma-separated values (RFC 4180), a row for each measured line; docs/export.md. */
import type { LineAtPeak } from "../../massif/lines.ts";
import { linesByFunction } from "../../profile/lines/totals.ts";
import type { CudaFigures, Figures, FileProfile, Profile, SystemFigures } from "../../profile/model.ts";
import { measuredElsewhere } from "../../profile/text/measuredElsewhere.ts";
import { sourceLines } from "../../profile/text/text.ts";

type Cell = string | number | undefined;

export const RSS_COLUMNS = {
  hits: "hits",
  net: "net_bytes",
  self: "self_bytes",
  maxIncrement: "max_increment_bytes",
  peak: "peak_bytes",
  usage: "usage_bytes",
  uncertain: "uncertain_bytes",
  peakUncertain: "peak_uncertain_bytes",
} as const satisfies Record<keyof Figures, string>;

export const CUDA_COLUMNS = {
  net: "cuda_net_bytes",
  self: "cuda_self_bytes",
  maxIncrement: "cuda_max_increment_bytes",
  peak: "cuda_peak_bytes",
  peakMost: "cuda_peak_at_most_bytes",
  reservedNet: "cuda_reserved_net_bytes",
  reservedSelf: "cuda_reserved_self_bytes",
  reservedPeak: "cuda_reserved_peak_bytes",
  deviceNet: "cuda_device_net_bytes",
  uncertain: "cuda_uncertain_bytes",
} as const satisfies Record<keyof CudaFigures, string>;

export const SYSTEM_COLUMNS = {
  net: "system_net_bytes",
  self: "system_self_bytes",
  nvmapNet: "system_nvmap_net_bytes",
  uncertain: "system_uncertain_bytes",
} as const satisfies Record<keyof SystemFigures, string>;

const HEAP_COLUMNS = { total: "heap_live_bytes", own: "heap_own_bytes" } as const;

/** Of a run that another tool measured: by which, and what its figures are; the same in every row. */
export const IMPORTED_COLUMNS = { format: "measured_by", measures: "measures" } as const;

/** Of a run under massif: what a line of the project held at the peak. */
export type HeapOfLine = (path: string, line: number) => Pick<LineAtPeak, "total" | "own"> | undefined;

/**
 * @param sources texts of the files by their paths, for the last column
 * @param heap given, there are columns for it
 */
export function* csv(profile: Profile, sources: ReadonlyMap<string, string>, heap?: HeapOfLine): Generator<string> {
  const massif = heap === undefined ? [] : Object.values(HEAP_COLUMNS);
  const cuda = profile.metrics.has("cuda") ? Object.values(CUDA_COLUMNS) : [];
  const system = profile.metrics.has("system") ? Object.values(SYSTEM_COLUMNS) : [];
  const elsewhere = measuredElsewhere(profile.run);
  const { format, measures } = IMPORTED_COLUMNS;
  const origin = elsewhere && { [format]: elsewhere.format, [measures]: elsewhere.measures };
  const figureColumns = [...Object.values(RSS_COLUMNS), ...cuda, ...system, ...massif];
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
        ...figures(row, RSS_COLUMNS),
        ...(cuda.length === 0 ? [] : figures(row.cuda, CUDA_COLUMNS)),
        ...(system.length === 0 ? [] : figures(row.system, SYSTEM_COLUMNS)),
        ...(heap === undefined ? [] : figures(heap(file.path, row.line), HEAP_COLUMNS)),
        ...Object.values(origin ?? {}),
        source[row.line - 1],
      ]);
    }
  }
}

function figures<K extends string>(
  row: { readonly [P in NoInfer<K>]?: number | undefined } | undefined,
  columns: Readonly<Record<K, string>>,
): Cell[] {
  return (Object.keys(columns) as K[]).map((key) => row?.[key]);
}

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
