/** The columns of figures beside the source lines, for each measure, and what each says. */
import { formatBytes, formatChange, formatCount } from "./format.ts";
import type { LineRow, Metric } from "./model.ts";

/** One measure, or a little of each. */
export type MetricChoice = Metric | "all";

export interface Column {
  readonly heading: string;
  cell(row: LineRow): string;
}

export interface Columns {
  /** The first is marked by its severity. */
  readonly figures: readonly Column[];
  /** Printed where any line has some. */
  readonly uncertain: Column | undefined;
  readonly legend: string;
}

const change = (bytes: number | undefined): string => figure(bytes, formatChange);

function figure(bytes: number | undefined, format: (bytes: number) => string): string {
  return bytes === undefined ? "-" : bytes === 0 ? "0" : format(bytes);
}

const plusMinus = (of: (row: LineRow) => number | undefined): Column => ({
  heading: "Uncertain",
  cell(row) {
    const bytes = of(row);
    return bytes ? `± ${formatBytes(bytes)}` : "";
  },
});

export const UNCERTAIN_LEGEND = "Uncertain: how much of Net may belong to a neighbouring line or to another thread.";

const RSS: Columns = {
  figures: [
    { heading: "Net", cell: (row) => change(row.net) },
    { heading: "Largest", cell: (row) => change(row.maxIncrement) },
    { heading: "Peak above entry", cell: (row) => change(row.peak) },
    { heading: "Usage after", cell: (row) => figure(row.usage, formatBytes) },
  ],
  uncertain: plusMinus((row) => row.uncertain),
  legend: [
    "Hits: times the line ran.  Net: memory (RSS) it took and kept, with everything it called, over all hits.",
    "Largest: the most one hit kept.  Peak above entry: the most one hit held, even where it gave it back.",
    "Usage after: highest RSS right after the line.  -: not measured, as where the line never ended.",
  ].join("\n"),
};

const CUDA: Columns = {
  figures: [
    { heading: "CUDA net", cell: ({ cuda }) => change(cuda?.net) },
    { heading: "Largest", cell: ({ cuda }) => change(cuda?.maxIncrement) },
    { heading: "Peak at least", cell: ({ cuda }) => change(cuda?.peak) },
    { heading: "Peak at most", cell: ({ cuda }) => change(cuda?.peakMost) },
    { heading: "Reserved net", cell: ({ cuda }) => change(cuda?.reservedNet) },
    { heading: "Device net", cell: ({ cuda }) => change(cuda?.deviceNet) },
  ],
  uncertain: plusMinus(({ cuda }) => cuda?.uncertain),
  legend: [
    "Hits: times the line ran.  CUDA net: what PyTorch's allocator handed out to tensors and kept, over all hits.",
    "Largest: the most one hit kept.  Peak at least, at most: the most one hit held above its entry lies between these.",
    "Reserved net: what the allocator took from CUDA, with what it keeps for later; CUDA net is inside it.",
    "Device net: change of the device's used memory by mem_get_info, everybody's.  -: not measured.",
  ].join("\n"),
};

const SYSTEM: Columns = {
  figures: [
    { heading: "Board net", cell: ({ system }) => change(system?.net) },
    { heading: "Alone", cell: ({ system }) => change(system?.self) },
    { heading: "NvMap net", cell: ({ system }) => change(system?.nvmapNet) },
  ],
  uncertain: plusMinus(({ system }) => system?.uncertain),
  legend: [
    "Hits: times the line ran.  Board net: change of the whole board's memory in use while it ran, whoever took it.",
    "Alone: without what was seen on the lines that it called.  NvMap net: of the GPU's buffers as the kernel counts them.",
    "-: not measured.",
  ].join("\n"),
};

const ALL: Columns = {
  figures: [
    { heading: "RSS net", cell: (row) => change(row.net) },
    { heading: "RSS peak", cell: (row) => change(row.peak) },
    { heading: "CUDA net", cell: ({ cuda }) => change(cuda?.net) },
    { heading: "CUDA peak", cell: ({ cuda }) => change(cuda?.peak) },
    { heading: "Reserved net", cell: ({ cuda }) => change(cuda?.reservedNet) },
    { heading: "Board net", cell: ({ system }) => change(system?.net) },
  ],
  uncertain: undefined,
  legend: [
    "Hits: times the line ran.  Net: what it took and kept, with everything it called.  Peak: the most one hit held, at least.",
    "RSS: the process's own memory; on a Jetson it does not hold CUDA memory.  CUDA: handed out by PyTorch's allocator,",
    "inside Reserved.  Board: the whole board's memory in use, which holds all of these and everybody else's: do not add them.",
    "-: not measured.",
  ].join("\n"),
};

const COLUMNS: Readonly<Record<MetricChoice, Columns>> = { rss: RSS, cuda: CUDA, system: SYSTEM, all: ALL };

export function columnsOf(choice: MetricChoice): Columns {
  return COLUMNS[choice];
}

export const HITS: Column = { heading: "Hits", cell: (row) => formatCount(row.hits) };
