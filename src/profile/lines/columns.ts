/** The columns of figures beside the source lines, for each measure, and what each says. */

import { t } from "../../words/t.ts";
import { present } from "../files/jsonRecords.ts";
import type { Figures, FileProfile, LineRow, Metric, Profile } from "../model.ts";
import { formatBytes, formatChange, formatCount, orUnknown } from "../text/format.ts";
import { measuredElsewhere, measuresText } from "../text/measuredElsewhere.ts";
import { printable } from "../text/text.ts";
import { netText } from "./netText.ts";

/** One measure, or a little of each. */
export type MetricChoice = Metric | "all";

export interface Column {
  readonly heading: string;
  cell(row: LineRow): string;
  /** What its cell is marked by. */
  marks?(row: LineRow): Pick<Figures, "net" | "self" | "peak">;
}

export interface UncertainColumn extends Column {
  /** What it says, for below the table. */
  readonly legend: string;
}

/** Whether any line of the files has something in such a column. */
export function isFilled(files: Iterable<FileProfile>, column: Column): boolean {
  return [...files].some(({ lines }) => lines.some((row) => column.cell(row) !== ""));
}

export interface Columns {
  readonly figures: readonly Column[];
  /** Each printed where any line has some. */
  readonly uncertain: readonly UncertainColumn[];
  readonly legend: string;
}

const change = (bytes: number | undefined): string => figure(bytes, formatChange);

function figure(bytes: number | undefined, format: (bytes: number) => string): string {
  return orUnknown(bytes, (known) => (known === 0 ? "0" : format(known)));
}

/** Of a line that never ended it is known what it took itself until then. */
const net = (row: LineRow): string => (row.net === undefined && (row.self ?? 0) > 0 ? netText(row) : change(row.net));
const byNet = ({ net: taken, self }: { readonly [Key in "net" | "self"]?: number | undefined }) =>
  present({ net: taken, self });
const byPeak = ({ peak }: { readonly peak?: number | undefined }) => present({ net: 0, peak });

const plusMinus =
  (of: (row: LineRow) => number | undefined): Column["cell"] =>
  (row) => {
    const bytes = of(row);
    return bytes ? `± ${formatBytes(bytes)}` : "";
  };

const uncertainNet = (of: (row: LineRow) => number | undefined): UncertainColumn => ({
  heading: t("Uncertain"),
  cell: plusMinus(of),
  legend: t("Uncertain: how much of Net may belong to a neighboring line or to another thread."),
});

const uncertainPeak = (): UncertainColumn => ({
  heading: t("Peak uncertain"),
  cell: plusMinus((row) => row.peakUncertain),
  legend: t("Peak uncertain: how far Peak above entry may be off."),
});

const rss = (): Columns => ({
  figures: [
    { heading: t("Net"), cell: net, marks: byNet },
    { heading: t("Largest"), cell: (row) => change(row.maxIncrement) },
    { heading: t("Peak above entry"), cell: (row) => change(row.peak), marks: byPeak },
    { heading: t("Usage after"), cell: (row) => figure(row.usage, formatBytes) },
  ],
  uncertain: [uncertainNet((row) => row.uncertain), uncertainPeak()],
  legend: [
    t("Hits: times the line ran.  Net: memory (RSS) it took and kept, with everything it called, over all hits."),
    t("Largest: the most one hit kept.  Peak above entry: the most one hit held, even where it gave it back."),
    t(
      "Usage after: highest RSS right after the line.  ≥: its last hit never ended; it took this itself until then.  –: not measured.",
    ),
  ].join("\n"),
});

const cuda = (): Columns => ({
  figures: [
    { heading: t("CUDA net"), cell: ({ cuda }) => change(cuda?.net), marks: ({ cuda }) => byNet(cuda ?? {}) },
    { heading: t("Largest"), cell: ({ cuda }) => change(cuda?.maxIncrement) },
    { heading: t("Peak at least"), cell: ({ cuda }) => change(cuda?.peak), marks: ({ cuda }) => byPeak(cuda ?? {}) },
    { heading: t("Peak at most"), cell: ({ cuda }) => change(cuda?.peakMost) },
    { heading: t("Reserved net"), cell: ({ cuda }) => change(cuda?.reservedNet) },
    { heading: t("Device net"), cell: ({ cuda }) => change(cuda?.deviceNet) },
  ],
  uncertain: [uncertainNet(({ cuda }) => cuda?.uncertain)],
  legend: [
    t("Hits: times the line ran.  CUDA net: what PyTorch's allocator handed out to tensors and kept, over all hits."),
    t(
      "Largest: the most one hit kept.  Peak at least, at most: the most one hit held above its entry lies between these.",
    ),
    t("Reserved net: what the allocator took from CUDA, with what it keeps for later; CUDA net is inside it."),
    t("Device net: change of the device's used memory by mem_get_info, everybody's.  –: not measured."),
  ].join("\n"),
});

const system = (): Columns => ({
  figures: [
    { heading: t("Board net"), cell: ({ system }) => change(system?.net), marks: ({ system }) => byNet(system ?? {}) },
    { heading: t("Alone"), cell: ({ system }) => change(system?.self) },
    { heading: t("NvMap net"), cell: ({ system }) => change(system?.nvmapNet) },
  ],
  uncertain: [uncertainNet(({ system }) => system?.uncertain)],
  legend: [
    t("Hits: times the line ran.  Board net: change of the whole board's memory in use while it ran, whoever took it."),
    t(
      "Alone: without what was seen on the lines that it called.  NvMap net: of the GPU's buffers as the kernel counts them.",
    ),
    t("–: not measured."),
  ].join("\n"),
});

const all = (): Columns => ({
  figures: [
    { heading: t("RSS net"), cell: net, marks: byNet },
    { heading: t("RSS peak"), cell: (row) => change(row.peak), marks: byPeak },
    { heading: t("CUDA net"), cell: ({ cuda }) => change(cuda?.net) },
    { heading: t("CUDA peak"), cell: ({ cuda }) => change(cuda?.peak) },
    { heading: t("Reserved net"), cell: ({ cuda }) => change(cuda?.reservedNet) },
    { heading: t("Board net"), cell: ({ system }) => change(system?.net) },
  ],
  uncertain: [],
  legend: [
    t(
      "Hits: times the line ran.  Net: what it took and kept, with everything it called.  Peak: the most one hit held, at least.",
    ),
    t(
      "RSS: the process's own memory; on a Jetson it does not hold CUDA memory.  CUDA: handed out by PyTorch's allocator,",
    ),
    t(
      "inside Reserved.  Board: the whole board's memory in use, which holds all of these and everybody else's: do not add them.",
    ),
    t("–: not measured."),
  ].join("\n"),
});

const COLUMNS: Readonly<Record<MetricChoice, () => Columns>> = { rss, cuda, system, all };

export function columnsOf(choice: MetricChoice): Columns {
  return COLUMNS[choice]();
}

/** The columns of a run: of what another tool measured, those that it has something in. */
export function columnsOfRun(profile: Pick<Profile, "run" | "files">, choice: MetricChoice): Columns {
  const elsewhere = measuredElsewhere(profile.run);
  if (elsewhere === undefined) return columnsOf(choice);
  const rows = profile.files.flatMap(({ lines }) => lines);
  const known = imported();
  const shown = known.filter(({ of }) => rows.some((row) => of(row) !== undefined));
  return {
    figures: (shown.length === 0 ? known.slice(0, 1) : shown).map(({ heading, of, format, marks }) =>
      present({ heading, cell: (row: LineRow) => figure(of(row), format), marks }),
    ),
    uncertain: [],
    legend: [
      t("Figures: {0}.", printable(measuresText(elsewhere))),
      ...shown.map(({ heading, says }) => t("{0}: {1}.", heading, says)),
      t("–: not known."),
    ].join("\n"),
  };
}

interface ImportedColumn {
  readonly heading: string;
  readonly says: string;
  readonly of: (row: LineRow) => number | undefined;
  readonly format: (bytes: number) => string;
  readonly marks?: NonNullable<Column["marks"]>;
}

const imported = (): readonly ImportedColumn[] => [
  {
    heading: t("In all"),
    says: t("of the line with everything it called"),
    of: ({ net }) => net,
    format: formatChange,
    marks: byNet,
  },
  {
    heading: t("Line alone"),
    says: t("of the line itself"),
    of: ({ self }) => self,
    format: formatChange,
    marks: ({ net, self }) => (net === undefined ? byNet({ self }) : { net: 0 }),
  },
  {
    heading: t("Largest"),
    says: t("the most of one hit"),
    of: ({ maxIncrement }) => maxIncrement,
    format: formatChange,
  },
  {
    heading: t("Peak"),
    says: t("the most that one run of the line held"),
    of: ({ peak }) => peak,
    format: formatChange,
    marks: byPeak,
  },
  {
    heading: t("Usage after"),
    says: t("the most there was right after the line"),
    of: ({ usage }) => usage,
    format: formatBytes,
  },
];

export const hitsColumn = (): Column => ({
  heading: t("Hits"),
  cell: ({ hits }) => orUnknown(hits, formatCount),
});
