/** The table of a line's figures in its hover: a column for each measure that the run has. Pure. */
import { formatBytes, formatChange, formatCount } from "../profile/format.ts";
import type { CudaFigures, CudaReading, LineRow, Metric } from "../profile/model.ts";
import { table } from "./markdown.ts";

const UNKNOWN = "–";

interface Column {
  readonly heading: string;
  readonly net: string;
  readonly alone: string;
  readonly largest: string;
  /** The most that one hit held: known to have been held, and at most. */
  readonly peak: string;
  readonly peakMost: string;
  readonly uncertain: string;
}

/** Cells that a measure may not have. */
const NONE = { largest: UNKNOWN, peak: UNKNOWN, peakMost: UNKNOWN, uncertain: UNKNOWN };

/** Markdown: the table, and what its columns are where there are several. */
export interface LineFigures {
  readonly figures: readonly string[];
  readonly legend: readonly string[];
}

export function lineFigures(row: LineRow, metrics: ReadonlySet<Metric>, readings: Iterable<CudaReading>): LineFigures {
  return metrics.size < 2
    ? { figures: [table(["Memory (RSS)", "this line"], rssRows(row))], legend: [] }
    : { figures: [comparison(row, metrics), countsOf(row)], legend: [legendOf(metrics, row, readings)] };
}

function rssRows(row: LineRow): string[][] {
  const rows: [string, string | undefined][] = [
    ["Hits", formatCount(row.hits)],
    ["Net, with everything it called", known(row.net)],
    ["Net of this line alone", known(row.self)],
    ["Largest increment of one hit", known(row.maxIncrement)],
    ["Peak above entry", known(row.peak)],
    ["Usage after", row.usage === undefined ? undefined : formatBytes(row.usage)],
    ["Uncertain (may be a neighbouring line's)", row.uncertain ? `± ${formatBytes(row.uncertain)}` : undefined],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

function comparison(row: LineRow, metrics: ReadonlySet<Metric>): string {
  const columns = [
    rssColumn(row),
    ...(metrics.has("cuda") ? cudaColumns(row.cuda) : []),
    ...(metrics.has("system") ? [boardColumn(row)] : []),
  ];
  const exact = row.cuda === undefined || row.cuda.peak === row.cuda.peakMost;
  const rows = [
    ["Net, with all it called", ...columns.map(({ net }) => net)],
    ["Net of this line alone", ...columns.map(({ alone }) => alone)],
    ["Largest of one hit", ...columns.map(({ largest }) => largest)],
    [exact ? "Peak above entry" : "Peak above entry, at least", ...columns.map(({ peak }) => peak)],
    ...(exact ? [] : [["Peak above entry, at most", ...columns.map(({ peakMost }) => peakMost)]]),
    ["May be a neighbouring line's", ...columns.map(({ uncertain }) => uncertain)],
  ];
  return table(["Memory", ...columns.map(({ heading }) => `\u00a0\u00a0${heading}`)], rows);
}

function rssColumn(row: LineRow): Column {
  return {
    heading: "RSS",
    net: cell(row.net),
    alone: cell(row.self),
    largest: cell(row.maxIncrement),
    peak: cell(row.peak),
    peakMost: cell(row.peak),
    uncertain: row.uncertain === undefined ? UNKNOWN : plusMinus(row.uncertain),
  };
}

function cudaColumns(cuda: CudaFigures | undefined): Column[] {
  const allocated: Column = {
    heading: "CUDA allocated",
    net: cell(cuda?.net),
    alone: cell(cuda?.self),
    largest: cell(cuda?.maxIncrement),
    peak: cell(cuda?.peak),
    peakMost: cell(cuda?.peakMost),
    uncertain: cuda === undefined ? UNKNOWN : plusMinus(cuda.uncertain),
  };
  const reserved: Column = {
    ...NONE,
    heading: "CUDA reserved",
    net: cell(cuda?.reservedNet),
    alone: cell(cuda?.reservedSelf),
    peak: cell(cuda?.reservedPeak),
  };
  return [allocated, reserved];
}

function boardColumn({ system }: LineRow): Column {
  return {
    ...NONE,
    heading: "Board in use",
    net: cell(system?.net),
    alone: cell(system?.self),
    uncertain: system === undefined ? UNKNOWN : plusMinus(system.uncertain),
  };
}

/** What has a single figure. */
function countsOf({ hits, usage, cuda, system }: LineRow): string {
  const parts = [
    `Hits: ${formatCount(hits)}`,
    usage === undefined ? undefined : `RSS right after: ${formatBytes(usage)}`,
    cuda === undefined ? undefined : `GPU device (mem\\_get\\_info): ${cell(cuda.deviceNet)}`,
    system === undefined ? undefined : `GPU buffers (NvMap): ${cell(system.nvmapNet)}`,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

function legendOf(metrics: ReadonlySet<Metric>, row: LineRow, readings: Iterable<CudaReading>): string {
  const sentences = [`Never add the columns (${UNKNOWN}: not known). **RSS** is the process's own memory.`];
  if (metrics.has("cuda")) {
    sentences.push(
      "On a Jetson it does not hold CUDA memory.",
      "**CUDA allocated** is what PyTorch's allocator handed out to tensors,",
      "**CUDA reserved** what it took from CUDA for that: allocated is inside reserved.",
    );
  }
  if (metrics.has("system")) {
    sentences.push("**Board in use** is the whole board's memory: it holds all the others and everybody else's.");
  }
  if ([...readings].some(({ noticedBy }) => noticedBy === "asking") && (row.cuda?.uncertain ?? 0) > 0) {
    sentences.push("PyTorch was asked from time to time, so short lines share a reading.");
  }
  return sentences.join(" ");
}

/** A figure that stays on one line, or the sign that it is not known. */
export function cell(bytes: number | undefined): string {
  return known(bytes)?.replaceAll(" ", "\u00a0") ?? UNKNOWN;
}

function known(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : formatChange(bytes);
}

function plusMinus(bytes: number): string {
  return (bytes === 0 ? "0 B" : `± ${formatBytes(bytes)}`).replaceAll(" ", "\u00a0");
}
