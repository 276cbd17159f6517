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
  readonly peak: string;
  readonly uncertain: string;
}

/** A cell that this measure does not have. */
const NONE = { largest: UNKNOWN, peak: UNKNOWN, uncertain: UNKNOWN };

/** @returns Markdown: a table, and what its columns are where there are several */
export function lineFigures(row: LineRow, metrics: ReadonlySet<Metric>, readings: Iterable<CudaReading>): string[] {
  return metrics.size < 2
    ? [table(["Memory (RSS)", "this line"], rssRows(row))]
    : [comparison(row, metrics), countsOf(row), ...legend(metrics, row, readings)];
}

function rssRows(row: LineRow): string[][] {
  const rows: [string, string | undefined][] = [
    ["Hits", formatCount(row.hits)],
    ["Net, with everything it called", known(row.net)],
    ["Net of this line alone", known(row.self)],
    ["Largest increment of one hit", known(row.maxIncrement)],
    ["Peak above entry", known(row.peak)],
    ["Usage after", row.usage === undefined ? undefined : formatBytes(row.usage)],
    ["Uncertain (may be a neighbouring line's)", row.uncertain ? plusMinus(row.uncertain) : undefined],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

function comparison(row: LineRow, metrics: ReadonlySet<Metric>): string {
  const columns = [
    rssColumn(row),
    ...(metrics.has("cuda") ? cudaColumns(row.cuda) : []),
    ...(metrics.has("system") ? [boardColumn(row)] : []),
  ];
  const rows = [
    ["Net, with everything it called", ...columns.map(({ net }) => net)],
    ["Net of this line alone", ...columns.map(({ alone }) => alone)],
    ["Largest increment of one hit", ...columns.map(({ largest }) => largest)],
    ["Peak above entry", ...columns.map(({ peak }) => peak)],
    ["Uncertain (may be a neighbouring line's)", ...columns.map(({ uncertain }) => uncertain)],
  ];
  return table(["Memory", ...columns.map(({ heading }) => heading)], rows);
}

function rssColumn(row: LineRow): Column {
  return {
    heading: "RSS",
    net: cell(row.net),
    alone: cell(row.self),
    largest: cell(row.maxIncrement),
    peak: cell(row.peak),
    uncertain: row.uncertain === undefined ? UNKNOWN : plusMinus(row.uncertain),
  };
}

function cudaColumns(cuda: CudaFigures | undefined): Column[] {
  const allocated: Column = {
    heading: "CUDA allocated",
    net: cell(cuda?.net),
    alone: cell(cuda?.self),
    largest: cell(cuda?.maxIncrement),
    peak: cuda === undefined ? UNKNOWN : peakText(cuda),
    uncertain: cuda === undefined ? UNKNOWN : plusMinus(cuda.uncertain),
  };
  const reserved: Column = {
    ...NONE,
    heading: "CUDA reserved",
    net: cell(cuda?.reservedNet),
    alone: cell(cuda?.reservedSelf),
    peak: cuda === undefined ? UNKNOWN : `at least ${formatChange(cuda.reservedPeak)}`,
  };
  return [allocated, reserved];
}

function peakText({ peak, peakMost }: CudaFigures): string {
  return peak === peakMost ? formatChange(peak) : `at least ${formatChange(peak)}, at most ${formatChange(peakMost)}`;
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
    cuda === undefined ? undefined : `GPU device in use, by mem\\_get\\_info: ${cell(cuda.deviceNet)}`,
    system === undefined ? undefined : `GPU buffers, by the kernel's NvMap: ${cell(system.nvmapNet)}`,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

function legend(metrics: ReadonlySet<Metric>, row: LineRow, readings: Iterable<CudaReading>): string[] {
  const sentences = ["**RSS** is the process's own memory."];
  if (metrics.has("cuda")) {
    sentences.push(
      "On a Jetson it does not hold CUDA memory.",
      "**CUDA allocated** is what PyTorch's allocator handed out to tensors,",
      "**CUDA reserved** what it took from CUDA for that, so allocated is inside reserved.",
    );
  }
  if (metrics.has("system")) {
    sentences.push("**Board in use** is the whole board's memory: it holds all the others and everybody else's.");
  }
  sentences.push(`Never add the columns. ${UNKNOWN}: not known.`);
  if ([...readings].some(({ noticedBy }) => noticedBy === "asking") && (row.cuda?.uncertain ?? 0) > 0) {
    sentences.push("PyTorch was asked from time to time, so short lines share a reading.");
  }
  return [sentences.join(" ")];
}

export function cell(bytes: number | undefined): string {
  return known(bytes) ?? UNKNOWN;
}

function known(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : formatChange(bytes);
}

function plusMinus(bytes: number): string {
  return bytes === 0 ? "0 B" : `± ${formatBytes(bytes)}`;
}
