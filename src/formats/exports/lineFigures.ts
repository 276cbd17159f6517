/** The figures that stand beside the lines of a run, whatever its engine measured, as cells for people. */
import { isProjectPath, type LineAtPeak, largestOf, linesAtPeak, mostByLine } from "../../massif/lines.ts";
import { markedBy } from "../../profile/lines/annotate.ts";
import { type Column, columnsOfRun, hitsColumn, isFilled, type MetricChoice } from "../../profile/lines/columns.ts";
import { byMetric, METRIC_NAMES, metricOf } from "../../profile/lines/metric.ts";
import { type Severity, severityOf } from "../../profile/lines/severity.ts";
import { fileWeight, weight, wholeOf } from "../../profile/lines/totals.ts";
import type { FileProfile, Metric, Profile } from "../../profile/model.ts";
import { formatBytes, formatChange, formatCount } from "../../profile/text/format.ts";
import { sourceLines } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";
import type { ProcessHeap, WholeRun } from "./model.ts";

export interface FigureLine {
  readonly line: number;
  /** One for each heading. Worked out when they are asked for: of a large run most tables show few lines. */
  cells(): readonly string[];
  readonly severity: Severity;
  /** What the line took at most, bytes; 0 where it took nothing. */
  readonly weight: number;
}

export interface FigureFile {
  readonly path: string;
  /** What the file's lines took, for people; empty where it is not known. */
  readonly total: string;
  /** In the order of their numbers. */
  readonly lines: readonly FigureLine[];
  /** The file as it was run, where it was kept. */
  readonly source?: readonly string[];
}

export interface LineFigures {
  /** Of the figures; the first heading is what lines are ordered by. */
  readonly headings: readonly string[];
  /** Heaviest first; only files with figures. */
  readonly files: readonly FigureFile[];
  /** What each heading means, sentences. */
  readonly legend: readonly string[];
}

export interface PlacedLine extends FigureLine {
  readonly path: string;
  /** The line's text, where it is known. */
  readonly text: string;
}

export function lineFigures(run: WholeRun, wanted: MetricChoice | undefined): LineFigures {
  return run.profile.run.engine.name === "massif" ? heapFigures(run) : measuredFigures(run, wanted);
}

/** The `count` lines that took most. */
export function heaviest({ files }: LineFigures, count: number): PlacedLine[] {
  return files
    .flatMap((file) => file.lines.filter(({ weight }) => weight > 0).map((line) => ({ line, file })))
    .sort((a, b) => b.line.weight - a.line.weight)
    .slice(0, count)
    .map(({ line, file }) => ({ ...line, path: file.path, text: file.source?.[line.line - 1]?.trim() ?? "" }));
}

/** What the run has of what is wanted; by default a little of all where the GPU was used, whose memory RSS does not hold. */
function choiceOf({ metrics }: Pick<Profile, "metrics">, wanted: MetricChoice | undefined): MetricChoice {
  if (wanted === undefined) return metrics.has("cuda") ? "all" : "rss";
  return wanted === "all" ? "all" : metricOf(metrics, wanted);
}

/** Says that figures of another measure than the wanted one are shown. */
export function choiceNotes({ metrics }: Pick<Profile, "metrics">, wanted: MetricChoice | undefined): string[] {
  if (wanted === undefined || wanted === "all" || metrics.has(wanted)) return [];
  return [t("The run has no {0} figures by line; these are RSS.", METRIC_NAMES[wanted])];
}

/** The measure of formats that have only one. */
export function singleMetric({ metrics }: Pick<Profile, "metrics">, wanted: MetricChoice | undefined): Metric {
  return wanted === undefined || wanted === "all" ? "rss" : metricOf(metrics, wanted);
}

function measuredFigures({ profile, sources, rssPeak }: WholeRun, wanted: MetricChoice | undefined): LineFigures {
  const choice = choiceOf(profile, wanted);
  const { figures, uncertain, legend } = columnsOfRun(profile, choice);
  const shownUncertain = uncertain.filter((column) => isFilled(profile.files, column));
  const columns = [
    ...figures.filter((column, place) => place === 0 || isKnown(profile, column)),
    ...shownUncertain,
    hitsColumn(),
  ];
  const marked = byMetric(profile, markedBy(choice));
  const most = wholeOf(marked, markedBy(choice), rssPeak);
  const byPath = new Map(marked.files.map((file) => [file.path, file]));
  const files = [...profile.files]
    .filter(({ lines }) => lines.length > 0)
    .map((file) => ({ file, marked: byPath.get(file.path) ?? file }))
    .sort((a, b) => fileWeight(b.marked) - fileWeight(a.marked));
  return {
    headings: columns.map(({ heading }) => heading),
    files: files.map(({ file, marked }) => ({
      path: file.path,
      total: totalText(marked),
      lines: file.lines.map((row, at) => {
        const own = marked.lines[at] ?? row;
        const cells = () => columns.map((column) => column.cell(row));
        return { line: row.line, cells, severity: severityOf(own, most), weight: weight(own) };
      }),
      ...sourceOf(sources, file.path),
    })),
    legend: [...legendSentences(legend), ...shownUncertain.map((column) => column.legend)],
  };
}

/** Whether any line has such a figure. */
function isKnown({ files }: Pick<Profile, "files">, column: Column): boolean {
  return files.some(({ lines }) => lines.some((row) => column.cell(row) !== "-"));
}

/** The legends are set in lines for terminals; each explanation is a sentence that begins with `Word: `, or `词：`. */
function legendSentences(legend: string): string[] {
  return legend
    .replace(/(?<=[\p{P}\p{Script=Han}])\s+(?=\p{Script=Han})/gu, "")
    .replace(/\s+/g, " ")
    .split(/(?<=\.) (?=[^.:]+: )|(?<=。) ?(?=[^。：]+：)/);
}

function totalText(file: FileProfile): string {
  const known = file.lines.flatMap(({ self }) => self ?? []);
  return known.length === 0 ? "" : formatChange(known.reduce((sum, bytes) => sum + bytes, 0));
}

/** Of each line the most that one process held. */
function heapFigures({ profile, sources, heaps }: WholeRun): LineFigures {
  const found = new Map<string, Map<number, LineHeap>>();
  const at = (path: string, line: number): LineHeap => {
    const lines = found.get(path) ?? new Map<number, LineHeap>();
    found.set(path, lines);
    const known = lines.get(line) ?? { total: 0, own: 0 };
    lines.set(line, known);
    return known;
  };
  const byProcess = heaps.map(({ stacks }) => projectLines(stacks));
  for (const { path, line, total, own } of mostByLine(byProcess)) Object.assign(at(path, line), { total, own });
  for (const { path, line, net } of heaps.flatMap(({ measured }) => measured)) {
    const heap = at(path, line);
    heap.measured = (heap.measured ?? 0) + net;
  }
  const owns = ownByFile(byProcess);
  const most = largestOf(heaps)?.bytes ?? 0;
  const isMeasured = heaps.some(({ measured }) => measured.length > 0);
  const hits = new Map(
    profile.files.flatMap(({ path, lines }) => lines.map((row) => [`${row.line} ${path}`, row] as const)),
  );
  const files = [...found].map(([path, lines]) => ({
    path,
    own: owns.get(path) ?? 0,
    lines: [...lines].sort(([a], [b]) => a - b),
  }));
  return {
    headings: [t("Live"), t("Own"), ...(isMeasured ? [t("Net")] : []), t("Hits")],
    files: files
      .sort((a, b) => b.own - a.own)
      .map(({ path, own, lines }) => ({
        path,
        total: formatBytes(own),
        lines: lines.map(([line, heap]) => ({
          line,
          cells: () => [
            formatBytes(heap.total),
            formatBytes(heap.own),
            ...(isMeasured ? [heap.measured === undefined ? "-" : formatChange(heap.measured)] : []),
            hitsColumn().cell(hits.get(`${line} ${path}`) ?? { line }),
          ],
          severity: severityOf({ net: heap.total }, most),
          weight: heap.total,
        })),
        ...sourceOf(sources, path),
      })),
    legend: heapLegend(heaps, isMeasured),
  };
}

/** What each file's lines own together, the most of one process. */
function ownByFile(byProcess: readonly (readonly LineAtPeak[])[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const lines of byProcess) {
    const sums = new Map<string, number>();
    for (const { path, own } of lines) sums.set(path, (sums.get(path) ?? 0) + own);
    for (const [path, own] of sums) most.set(path, Math.max(most.get(path) ?? 0, own));
  }
  return most;
}

interface LineHeap {
  total: number;
  own: number;
  /** Before and after the line, over its measured hits. */
  measured?: number;
}

function heapLegend(heaps: readonly ProcessHeap[], isMeasured: boolean): string[] {
  const hidden = largestOf(heaps)?.withoutLine ?? 0;
  return [
    t("Live: allocated by the line and what it called, and not freed at the peak, as massif counts it."),
    t("Own: the part of it that no other line of the project allocated that it called."),
    ...(isMeasured ? [t("Net: what the heap grew by over the hits that were measured before and after.")] : []),
    t("Hits: times the line ran."),
    ...processesNote(heaps),
    ...(hidden > 0
      ? [
          t(
            "{0} are on no line: massif merges small call sites, so a line may hold more than is shown.",
            formatBytes(hidden),
          ),
        ]
      : []),
  ];
}

/** A sentence where the run has several processes. */
export function processesNote(heaps: readonly ProcessHeap[]): string[] {
  return heaps.length > 1
    ? [
        t(
          "With several processes, each line shows the most that one of them held. Their peaks are at different times, so they are not added up.",
        ),
      ]
    : [];
}

/** Lines of the project in a heap's stacks. */
export function projectLines(stacks: ProcessHeap["stacks"]): LineAtPeak[] {
  return linesAtPeak(stacks).filter(({ path, exact }) => exact && isProjectPath(path));
}

function sourceOf(sources: ReadonlyMap<string, string>, path: string): { readonly source?: readonly string[] } {
  const text = sources.get(path);
  return text === undefined ? {} : { source: sourceLines(text) };
}

/** `1,234 lines of 12 files`. */
export function extentText({ files }: LineFigures): string {
  const lines = files.reduce((sum, file) => sum + file.lines.length, 0);
  return files.length === 1
    ? t("{0} measured lines of 1 file", formatCount(lines))
    : t("{0} measured lines of {1} files", formatCount(lines), formatCount(files.length));
}
