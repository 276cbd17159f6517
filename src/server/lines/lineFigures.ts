/** The table of a line's figures in its hover: a column for each measure that the run has. Pure. */

import type { CudaFigures, CudaReading, ImportedFrom, LineRow, Metric } from "../../profile/model.ts";
import { formatBytes, formatChange, formatCount, UNKNOWN } from "../../profile/text/format.ts";
import { importedText, measuresText } from "../../profile/text/measuredElsewhere.ts";
import { t } from "../../words/t.ts";
import { escapeMarkdown, table } from "./markdown.ts";

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
  readonly peakUncertain?: number | undefined;
}

/** Markdown: the table, and what its columns are where there are several. */
export interface LineFigures {
  readonly figures: readonly string[];
  readonly legend: readonly string[];
}

/** @param imported of a run that another tool measured */
export function lineFigures(
  row: LineRow,
  metrics: ReadonlySet<Metric>,
  readings: Iterable<CudaReading>,
  imported: ImportedFrom | undefined,
): LineFigures {
  if (imported !== undefined) return importedFigures(row, imported);
  const several = metrics.size > 1;
  const columns = columnsOf(row, metrics);
  const headings = several ? columns.map(({ heading }) => `${GAP}${heading}`) : [t("this line")];
  return {
    figures: [
      table([several ? t("Memory") : t("Memory (RSS)"), ...headings], tableRows(columns)),
      ...(row.cuda === undefined ? [] : [deviceText(row, row.cuda)]),
    ],
    legend: several ? [legendOf(metrics, row, readings)] : [],
  };
}

/** The names are of the line's parts alone: what is measured stands below. */
function importedFigures({ hits, net, self, maxIncrement, peak, usage }: LineRow, imported: ImportedFrom): LineFigures {
  const rows: readonly (readonly [name: string, figure: string | undefined])[] = [
    [t("Hits"), hits === undefined ? undefined : formatCount(hits)],
    [t("With everything it called"), net === undefined ? undefined : formatChange(net)],
    [t("This line alone"), self === undefined ? undefined : formatChange(self)],
    [t("Largest of one hit"), maxIncrement === undefined ? undefined : formatChange(maxIncrement)],
    [t("Peak of one run of the line"), peak === undefined ? undefined : formatChange(peak)],
    [t("Usage after"), usage === undefined ? undefined : formatBytes(usage)],
  ];
  const known = rows.flatMap(([name, figure]) => (figure === undefined ? [] : [[name, figure]]));
  const measures = measuresText(imported);
  return {
    figures: [table([t("Memory"), `${GAP}${t("this line")}`], known)],
    legend: [t("The figures are {0}; {1}.", escapeMarkdown(measures), escapeMarkdown(importedText(imported)))],
  };
}

function columnsOf({ cuda, system, ...rss }: LineRow, metrics: ReadonlySet<Metric>): Column[] {
  const { hits, net, self, maxIncrement: largest, peak, usage, uncertain, peakUncertain } = rss;
  const columns: Column[] = [
    { heading: "RSS", hits, net, self, largest, peak, peakMost: peak, usage, uncertain, peakUncertain },
  ];
  if (metrics.has("cuda")) {
    columns.push(
      {
        heading: t("CUDA allocated"),
        net: cuda?.net,
        self: cuda?.self,
        largest: cuda?.maxIncrement,
        peak: cuda?.peak,
        peakMost: cuda?.peakMost,
        uncertain: cuda?.uncertain,
      },
      { heading: t("CUDA reserved"), net: cuda?.reservedNet, self: cuda?.reservedSelf, peak: cuda?.reservedPeak },
    );
  }
  if (metrics.has("system")) {
    columns.push({ heading: t("Board in use"), net: system?.net, self: system?.self, uncertain: system?.uncertain });
  }
  return columns;
}

/** Rows of which something is known that the net does not say. */
function tableRows(columns: readonly Column[]): string[][] {
  const exact = columns.every(({ peak, peakMost }) => peakMost === undefined || peak === peakMost);
  // Beside a net of all hits.
  const exactPeak = (columns[0]?.hits ?? 1) > 1 ? t("Peak above entry, of one hit") : t("Peak above entry");
  const plusMinus = (bytes: number) => (bytes === 0 ? "0 B" : `± ${formatBytes(bytes)}`);
  type Figure = (column: Column) => number | undefined;
  const whereAny = (of: Figure): Figure => (columns.some((column) => of(column)) ? of : () => undefined);
  /** What only repeats the net needs no row of its own. */
  const unlessNet = (of: Figure): Figure =>
    columns.some((column) => {
      const figure = of(column);
      return figure !== undefined && (column.net === undefined || formatChange(figure) !== formatChange(column.net));
    })
      ? of
      : () => undefined;
  const peakOf: Figure = ({ peak }) => peak;
  const sure = columns.every(({ peakUncertain = 0 }) => peakUncertain === 0);
  type Row = [name: string, of: Figure, as: (figure: number) => string, none?: string];
  const rows: Row[] = [
    // Of the line, not of a measure.
    [t("Hits"), ({ hits }) => hits, formatCount, ""],
    [t("Net, with everything it called"), ({ net }) => net, formatChange],
    [t("Net of this line alone"), unlessNet(({ self }) => self), formatChange],
    [t("Largest increment of one hit"), unlessNet(({ largest }) => largest), formatChange],
    [exact ? exactPeak : t("Peak above entry, at least"), exact && sure ? unlessNet(peakOf) : peakOf, formatChange],
    [t("Peak above entry, at most"), ({ peakMost }) => (exact ? undefined : peakMost), formatChange],
    [t("Usage after"), ({ usage }) => usage, formatBytes, ""],
    [t("Net uncertain by"), whereAny(({ uncertain }) => uncertain), plusMinus],
    [t("Peak uncertain by"), whereAny(({ peakUncertain }) => peakUncertain), plusMinus],
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
  const nvmap = system === undefined ? "" : t(" · GPU buffers (NvMap): {0}", changeCell(system.nvmapNet));
  return t("GPU device (mem\\_get\\_info): {0}{1}", changeCell(cuda.deviceNet), nvmap);
}

function legendOf(metrics: ReadonlySet<Metric>, row: LineRow, readings: Iterable<CudaReading>): string {
  const sentences = [
    t("Columns overlap; do not add them up ({0}: not measured). **RSS** is the process's own memory.", UNKNOWN),
  ];
  if (metrics.has("cuda")) {
    sentences.push(
      t("On a Jetson it does not hold CUDA memory."),
      t("**CUDA allocated** is what PyTorch's allocator handed out to tensors,"),
      t("**CUDA reserved** what it took from CUDA for that: allocated is inside reserved."),
    );
  }
  if (metrics.has("system")) {
    sentences.push(
      t("**Board in use** is the whole board's memory: it holds all the others and everybody else's."),
      t("It is read at times: what comes and goes between two readings is not seen."),
    );
  }
  if ([...readings].some(({ noticedBy }) => noticedBy === "asking") && (row.cuda?.uncertain ?? 0) > 0) {
    sentences.push(t("PyTorch was asked only from time to time, so short lines share a reading."));
  }
  return sentences.join(" ");
}

/** A change that stays on one line, or the sign that it is not known. */
export function changeCell(bytes: number | undefined): string {
  return bytes === undefined ? UNKNOWN : formatChange(bytes).replaceAll(" ", "\u00a0");
}
