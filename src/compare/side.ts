/** One side of a comparison: a run or repeats of it, and the figures of its lines. */
import type { Ledger } from "../board/ledger/model.ts";
import type { PeakKind } from "../board/moments/peak.ts";
import type { FileProfile, LineRow, Metric, RunInfo, RunOrigin } from "../profile/model.ts";
import { measuredElsewhere } from "../profile/text/measuredElsewhere.ts";
import type { SourceFile } from "./matching/sourceMatch.ts";
import type { ComparedMetric } from "./model.ts";
import type { Repeated } from "./noise.ts";

/** What a run folder says, as far as it is compared. Sizes are bytes; a figure that could not be taken is absent. */
export interface LoadedRun {
  readonly folder: string;
  readonly run: RunInfo;
  readonly origin?: RunOrigin;
  /** By path; merged over all processes. */
  readonly files: ReadonlyMap<string, FileProfile>;
  readonly metrics: ReadonlySet<Metric>;
  /** The table of lines was written to its end. */
  readonly complete: boolean;
  /** Highest RSS of the main process. Under massif that is valgrind's, and absent here. */
  readonly rssPeak?: number;
  /** The most that PyTorch's CUDA allocator reserved, of all readings: between them it may have been more. */
  readonly cudaPeak?: number;
  /** The board's memory in use (MemTotal − MemAvailable) right before the run, and how much it grew above that at most. */
  readonly baseline?: number;
  readonly boardPeak?: number;
  /** How far the memory of other programs moved until then: so much of it may be theirs. */
  readonly othersMoved?: number;
  /** At the moment when the run held the most. */
  readonly ledger?: { readonly rows: Ledger["rows"]; readonly moment: PeakKind };
  /** Of the main process under massif. */
  readonly heap?: HeapPeak;
}

export interface HeapPeak {
  readonly bytes: number;
  /** Mapped pages were counted, not blocks of the heap. */
  readonly pages: boolean;
  /** Call sites smaller than this are merged: so much a line may hold without being seen. */
  readonly threshold: number;
  /** Live bytes of the project's lines, by path and line. */
  readonly lines: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

export interface LoadedSide {
  readonly folders: readonly string[];
  readonly title: string;
  /** At least one. */
  readonly runs: readonly LoadedRun[];
  /** Each measured file once, as the first run that measured it had it. */
  readonly sources: readonly SourceFile[];
}

/** The figures of one line: a value for each run that has it. */
export interface LineFigures {
  readonly net: Repeated;
  readonly peak: Repeated;
  readonly hits: readonly number[];
}

export interface FileFigures {
  readonly path: string;
  /** Lines that any run measured, ascending. */
  readonly measured: readonly number[];
  /** Of any line of the source: one that a run did not execute took nothing in it, where that is known. */
  line(line: number): LineFigures;
}

/** The runs of a side that had a file with the text that the side's sources have. */
export function runsWith(
  side: LoadedSide,
  source: SourceFile,
): { readonly run: LoadedRun; readonly file: FileProfile }[] {
  return side.runs.flatMap((run) => {
    const file = run.files.get(source.path);
    return file === undefined || file.sha256 !== source.sha256 ? [] : [{ run, file }];
  });
}

export function figuresOf(side: LoadedSide, source: SourceFile, metric: ComparedMetric): FileFigures {
  const tables = runsWith(side, source).map(({ run, file }) => ({
    rows: metric === "heap" ? heapRows(run, file) : rowsOf(run, file, metric),
    nothing: missingIs(run, metric),
  }));
  return {
    path: source.path,
    measured: [...new Set(tables.flatMap(({ rows }) => [...rows.keys()]))].sort((a, b) => a - b),
    line(line) {
      const [table] = tables;
      if (table !== undefined && tables.length === 1) return ofOneRun(table.rows.get(line) ?? table.nothing);
      const net = { values: [] as number[], uncertain: 0 };
      const peak = { values: [] as number[], uncertain: 0 };
      const hits: number[] = [];
      for (const { rows, nothing } of tables) {
        const found = rows.get(line) ?? nothing;
        if (found === undefined) continue;
        add(net, found.net, found.uncertain);
        add(peak, found.peak, found.peakUncertain);
        if (found.hits !== undefined) hits.push(found.hits);
      }
      return { net, peak, hits };
    },
  };
}

const NONE: Repeated = { values: [], uncertain: 0 };
/** Most lines of most programs take nothing: one object serves all of them. */
const ZERO: Repeated = { values: [0], uncertain: 0 };

function ofOneRun(figures: Figures | undefined): LineFigures {
  if (figures === undefined) return { net: NONE, peak: NONE, hits: [] };
  const { net, peak, hits, uncertain, peakUncertain } = figures;
  return { net: once(net, uncertain), peak: once(peak, peakUncertain), hits: hits === undefined ? [] : [hits] };
}

function once(value: number | undefined, uncertain: number): Repeated {
  if (value === undefined) return NONE;
  return value === 0 && uncertain === 0 ? ZERO : { values: [value], uncertain };
}

function add(figure: { values: number[]; uncertain: number }, value: number | undefined, uncertain: number): void {
  if (value === undefined) return;
  figure.values.push(value);
  figure.uncertain = Math.max(figure.uncertain, uncertain);
}

/** One run's figures of one line. */
interface Figures {
  readonly hits: number | undefined;
  readonly net: number | undefined;
  readonly peak: number | undefined;
  readonly uncertain: number;
  readonly peakUncertain: number;
}

function rowsOf({ run }: LoadedRun, file: FileProfile, metric: Metric): Map<number, Figures> {
  // Other tools may tell what a line took without what it called, or only that; their like is compared with their like.
  const elsewhere = measuredElsewhere(run) !== undefined;
  const net = (row: LineRow) => row.net ?? (elsewhere ? row.self : undefined);
  const rows = new Map<number, Figures>();
  for (const row of file.lines) rows.set(row.line, byMetric(row, net(row), metric));
  return rows;
}

function byMetric(row: LineRow, net: number | undefined, metric: Metric): Figures {
  const { hits, cuda, system } = row;
  switch (metric) {
    case "rss": {
      const uncertain = row.uncertain ?? 0;
      return { hits, net, peak: row.peak, uncertain, peakUncertain: row.peakUncertain ?? uncertain };
    }
    case "cuda": {
      const uncertain = cuda?.uncertain ?? 0;
      const between = (cuda?.peakMost ?? 0) - (cuda?.peak ?? 0);
      return { hits, net: cuda?.net, peak: cuda?.peak, uncertain, peakUncertain: uncertain + between };
    }
    case "system":
      return { hits, net: system?.net, peak: undefined, uncertain: system?.uncertain ?? 0, peakUncertain: 0 };
  }
}

function heapRows({ heap }: LoadedRun, file: FileProfile): Map<number, Figures> {
  const hits = new Map(file.lines.map((row) => [row.line, row.hits]));
  const live = heap?.lines.get(file.path) ?? new Map<number, number>();
  const lines = new Set([...hits.keys(), ...live.keys()]);
  const uncertain = heap?.threshold ?? 0;
  const net = (line: number) => (heap === undefined ? undefined : (live.get(line) ?? 0));
  return new Map(
    [...lines].map((line) => [
      line,
      { hits: hits.get(line), net: net(line), peak: undefined, uncertain, peakUncertain: 0 },
    ]),
  );
}

/**
 * What a line took in a run that has no figures of it, though it measured the file: nothing, where every line was
 * measured that ran, and the script came to its end. Else that is not known.
 */
function missingIs({ run, complete, metrics, heap }: LoadedRun, metric: ComparedMetric): Figures | undefined {
  if (metric === "heap") {
    if (heap === undefined) return undefined;
    return { hits: undefined, net: 0, peak: undefined, uncertain: heap.threshold, peakUncertain: 0 };
  }
  const all = run.engine.name === "line" && measuredElsewhere(run) === undefined && metrics.has(metric);
  if (!all || !complete || run.exit?.kind !== "exited" || run.exit.code !== 0) return undefined;
  return { hits: 0, net: 0, peak: metric === "system" ? undefined : 0, uncertain: 0, peakUncertain: 0 };
}
