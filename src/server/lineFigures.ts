/** The table of a line's figures in its hover: a column for each measure that the run has. Pure. */
import { formatBytes, formatChange, formatCount } from "../profile/format.ts";
import type { CudaFigures, CudaReading, LineRow, Metric } from "../profile/model.ts";
import { table } from "./markdown.ts";

const UNKNOWN = "–";
/** Before a heading, so that it does not touch the one before it. */
export const GAP = "&emsp;";

/** Bytes; what a measure does not have, or what could not be taken, is absent. */
interface Column {
  readonly heading: string;
  readonly hits?: number | undefined;
  readonly net: number | undefined;
  readonly self: number | undefined;
  readonly largest?: number | undefined;
  /** The most that one hit held: known to have been held, and at most. */
  readonly peak?: number | undefined;
  readonly peakMost?: number | undefined;
  readonly usage?: number | undefined;
  readonly uncertain?: number | undefined;
}

/** Markdown: the table, and what its columns are where there are several. */
export interface LineFigures {
  readonly figures: readonly string[];
  readonly legend: readonly string[];
}

export function lineFigures(row: LineRow, metrics: ReadonlySet<Metric>, readings: Iterable<CudaReading>): LineFigures {
  const several = metrics.size > 1;
  const columns = columnsOf(row, metrics);
  const headings = several ? columns.map(({ heading }) => `${GAP}${heading}`) : ["this line"];
  return {
    figures: [
      table([several ? "Memory" : "Memory (RSS)", ...headings], tableRows(columns)),
      ...(row.cuda === undefined ? [] : [deviceText(row, row.cuda)]),
    ],
    legend: several ? [legendOf(metrics, row, readings)] : [],
  };
}

function columnsOf({ cuda, system, ...rss }: LineRow, metrics: ReadonlySet<Metric>): Column[] {
  const { hits, net, self, maxIncrement: largest, peak, usage, uncertain } = rss;
  const columns: Column[] = [{ heading: "RSS", hits, net, self, largest, peak, peakMost: peak, usage, uncertain }];
  if (metrics.has("cuda")) {
    columns.push(
      {
        heading: "CUDA allocated",
        net: cuda?.net,
        self: cuda?.self,
        largest: cuda?.maxIncrement,
        peak: cuda?.peak,
        peakMost: cuda?.peakMost,
        uncertain: cuda?.uncertain,
      },
      { heading: "CUDA reserved", net: cuda?.reservedNet, self: cuda?.reservedSelf, peak: cuda?.reservedPeak },
    );
  }
  if (metrics.has("system")) {
    columns.push({ heading: "Board in use", net: system?.net, self: system?.self, uncertain: system?.uncertain });
  }
  return columns;
}

/** Rows of which something is known. */
function tableRows(columns: readonly Column[]): string[][] {
  const exact = columns.every(({ peak, peakMost }) => peakMost === undefined || peak === peakMost);
  const anyUncertain = columns.some(({ uncertain }) => (uncertain ?? 0) > 0);
  type Row = [name: string, of: (column: Column) => number | undefined, as: (figure: number) => string, none?: string];
  const rows: Row[] = [
    // Of the line, not of a measure.
    ["Hits", ({ hits }) => hits, formatCount, ""],
    ["Net, with everything it called", ({ net }) => net, formatChange],
    ["Net of this line alone", ({ self }) => self, formatChange],
    ["Largest increment of one hit", ({ largest }) => largest, formatChange],
    [exact ? "Peak above entry" : "Peak above entry, at least", ({ peak }) => peak, formatChange],
    ["Peak above entry, at most", ({ peakMost }) => (exact ? undefined : peakMost), formatChange],
    ["Usage after", ({ usage }) => usage, formatBytes, ""],
    [
      "Uncertain (may be a neighbouring line's)",
      ({ uncertain }) => (anyUncertain ? uncertain : undefined),
      (bytes) => (bytes === 0 ? "0 B" : `± ${formatBytes(bytes)}`),
    ],
  ];
  // One figure beside its name has room enough.
  const blank = columns.length > 1 ? "\u00a0" : " ";
  return rows.flatMap(([name, of, as, none = UNKNOWN]) => {
    const figures = columns.map(of);
    const cells = figures.map((one) => (one === undefined ? none : as(one).replaceAll(" ", blank)));
    return figures.every((one) => one === undefined) ? [] : [[name, ...cells]];
  });
}

/** The whole device's, and the GPU's buffers as the kernel counts them. */
function deviceText({ system }: LineRow, cuda: CudaFigures): string {
  const nvmap = system === undefined ? "" : ` · GPU buffers (NvMap): ${changeCell(system.nvmapNet)}`;
  return `GPU device (mem\\_get\\_info): ${changeCell(cuda.deviceNet)}${nvmap}`;
}

function legendOf(metrics: ReadonlySet<Metric>, row: LineRow, readings: Iterable<CudaReading>): string {
  const sentences = [`Never add the columns (${UNKNOWN}: not measured). **RSS** is the process's own memory.`];
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

/** A change that stays on one line, or the sign that it is not known. */
export function changeCell(bytes: number | undefined): string {
  return bytes === undefined ? UNKNOWN : formatChange(bytes).replaceAll(" ", "\u00a0");
}
