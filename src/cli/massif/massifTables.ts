/** A massif.out file as text: its snapshots, and whose the memory of one of them is. */
import { countsPages, countsStacks, sampledMean } from "../../massif/counted.ts";
import { linesAtPeak, ownText } from "../../massif/lines.ts";
import type { FrameTree, MassifFile, MeasuredLine, Snapshot } from "../../massif/model.ts";
import { recordedAs } from "../../massif/node/sidecars.ts";
import { peakPlace, snapshotNames, snapshotTotal } from "../../massif/snapshots.ts";
import { byLibrary, libraryName, topAllocators } from "../../massif/summary.ts";
import { fullName, shortName } from "../../massif/tree/frameNames.ts";
import { isEvaluation, isPad } from "../../massif/tree/interpreterFrames.ts";
import type { Paint } from "../../profile/lines/annotate.ts";
import { formatBytes, formatChange, formatCount, formatDuration, withBand } from "../../profile/text/format.ts";
import { samplingNote, samplingTitle } from "../../profile/text/samplingNote.ts";
import { aligned } from "../../profile/text/table.ts";
import { printable } from "../../profile/text/text.ts";
import { t } from "../../words/t.ts";
import { type Report, type Subject, subjectStacks } from "./massifJson.ts";
import { byChange, measuredCells, measuredHeadings } from "./measuredCells.ts";

const MOST_ROWS = 15;
const MOST_SNAPSHOTS = 20;
const MOST_PROBLEMS = 5;

export function massifTables(report: Report, paint: Paint): string {
  const { file, subject, measured } = report;
  const stacks = subject && subjectStacks(subject);
  const parts = [
    heading(report, paint),
    ...report.unread.map((note) => printable(t("Note: {0}", note))),
    ...problemNotes(file),
    ...(stacks === undefined ? [t("Note: Massif kept no stacks in this file, only how much memory there was.")] : []),
    ...pythonNotes(report, stacks),
    "",
    snapshotTable(report, paint),
    ...(stacks === undefined || subject === undefined ? [] : stackTables(report, subject, stacks, paint)),
    ...(measured.lines.length === 0 ? [] : ["", measuredTable(measured.lines, paint)]),
  ];
  return `${parts.join("\n")}\n`;
}

/** `train.py, snapshot 64, the peak`. */
export function subjectTitle({ file, subject }: Pick<Report, "file" | "subject">): string {
  const names = snapshotNames(file.snapshots);
  const command = file.command.length > 60 ? `${file.command.slice(0, 59)}…` : file.command;
  if (subject === undefined) return printable(command);
  const what =
    subject.kind === "snapshot"
      ? t("snapshot {0}{1}", names[subject.place] ?? "", peakWords(file, subject.place))
      : t("from snapshot {0} to snapshot {1}", names[subject.before] ?? "", names[subject.after] ?? "");
  return printable(`${command}, ${what}`);
}

function peakWords({ snapshots }: MassifFile, place: number): string {
  if (place !== peakPlace(snapshots)) return "";
  return snapshots[place]?.tree.kind === "peak"
    ? t(", the peak")
    : t(", the largest with stacks (massif marked no peak)");
}

function heading({ path, file }: Report, paint: Paint): string {
  const withStacks = file.snapshots.filter(({ tree }) => tree.kind !== "none").length;
  const count = file.snapshots.length;
  const snapshots =
    count === 1
      ? t("1 snapshot, {0} with stacks", formatCount(withStacks))
      : t("{0} snapshots, {1} with stacks", formatCount(count), formatCount(withStacks));
  const facts = [path, snapshots, countedText(path, file)];
  return `${paint.strong(printable(file.command))}\n${printable(facts.join(" · "))}`;
}

function countedText(path: string, file: MassifFile): string {
  if (recordedAs(path)?.memory === "gpu") return t("each call for GPU memory");
  const mean = sampledMean(file);
  if (mean !== undefined) return samplingTitle(mean);
  return t("massif counted {0}", countsPages(file) ? t("every mapped page") : t("the heap"));
}

function problemNotes({ problems }: MassifFile): string[] {
  const notes = problems.slice(0, MOST_PROBLEMS).map(({ line, message }) => t("Note: line {0}: {1}.", line, message));
  const more = problems.length - notes.length;
  return [...notes, ...(more > 0 ? [t("Note: … and {0} more such lines.", formatCount(more))] : [])].map(printable);
}

/** Says what stands between the reader and Python lines. */
function pythonNotes({ level }: Report, stacks: FrameTree | undefined): string[] {
  if (level === "functions") {
    return [t("Note: Of the Python code only the functions are known, not the lines.")];
  }
  const natives = stacks?.frames.flatMap((frame) => (frame.kind === "native" ? frame : [])) ?? [];
  if (level === "lines" || !natives.some(isEvaluation)) return [];
  return natives.some(({ function: name = "" }) => isPad(name))
    ? [
        t(
          "Note: Names such as py_00042 stand for Python lines. Which lines they are is in massif.frames.PID.jsonl of the run's folder, which is not beside this file.",
        ),
      ]
    : [
        t(
          'Note: These stacks name no Python lines. For those, run the script with "jetson-memprof profile --engine massif".',
        ),
      ];
}

function snapshotTable({ file, path, bands }: Report, paint: Paint): string {
  const { snapshots, timeUnit } = file;
  const names = snapshotNames(snapshots);
  const hasStacks = countsStacks(file);
  // What the allocator adds is not known of sampled blocks.
  const mean = sampledMean(file);
  const isGpu = recordedAs(path)?.memory === "gpu";
  const hasExtra = mean === undefined && !isGpu;
  const shown = shownSnapshots(snapshots);
  const rows = shown.map((place) => {
    const snapshot = snapshots[place];
    if (snapshot === undefined) return [];
    const { time, heap, extra, stacks, tree } = snapshot;
    return [
      String(names[place]),
      timeText(time, timeUnit),
      withBand(formatBytes(heap), bands?.[place]),
      ...(hasExtra ? [formatBytes(extra)] : []),
      ...(hasStacks ? [formatBytes(stacks)] : []),
      formatBytes(snapshotTotal(snapshot)),
      { none: "", detailed: "stacks", peak: t("stacks, peak") }[tree.kind],
    ];
  });
  const headings = [
    t("Snapshot"),
    t("Time"),
    isGpu ? t("GPU") : t("Heap"),
    ...(hasExtra ? [t("Extra")] : []),
    ...(hasStacks ? [t("Stacks")] : []),
    t("Total"),
    t("Kept"),
  ];
  const [first = "", ...lines] = aligned([headings, ...rows], headings.length - 1);
  const left = snapshots.length - shown.length;
  return [
    paint.faint(first),
    ...lines,
    ...(left > 0 ? [t("and {0} more snapshots, which --json lists", formatCount(left))] : []),
    ...(hasExtra
      ? [
          paint.faint(
            t("Heap: what the program asked for.  Extra: massif's estimate of what the allocator adds to it."),
          ),
        ]
      : []),
    ...(mean === undefined ? [] : [samplingNote(mean)]),
  ].join("\n");
}

/** The places of the peaks and then the largest ones, those with stacks first, in the file's order. */
function shownSnapshots(snapshots: readonly Snapshot[]): number[] {
  const rank = ({ tree }: Snapshot) => ({ none: 0, detailed: 1, peak: 2 })[tree.kind];
  return [...snapshots.entries()]
    .sort(([, a], [, b]) => rank(b) - rank(a) || snapshotTotal(b) - snapshotTotal(a))
    .slice(0, MOST_SNAPSHOTS)
    .map(([place]) => place)
    .sort((a, b) => a - b);
}

function timeText(time: number, unit: MassifFile["timeUnit"]): string {
  if (unit === "ms") return formatDuration(time);
  return unit === "i" ? t("{0} instructions", formatCount(time)) : t("{0} allocated", formatBytes(time));
}

function stackTables(report: Report, subject: Subject, stacks: FrameTree, paint: Paint): string[] {
  const total = stacks.total[0] ?? 0;
  const isChange = subject.kind === "difference";
  const size = (bytes: number, band?: number) => withBand((isChange ? formatChange : formatBytes)(bytes), band);
  const libraries = byLibrary(stacks).map(({ library, bytes, band }) => [
    size(bytes, band),
    ...(isChange ? [] : [share(bytes, total)]),
    libraryName(library),
  ]);
  const allocators = topAllocators(stacks).map(({ frame, self, total, band }) => [
    size(self, band?.self),
    size(total, band?.total),
    shortName(frame),
  ]);
  const lines = linesAtPeak(stacks).map((line) => [
    size(line.total, line.band?.total),
    isChange ? size(line.own, line.band?.own) : ownText(line),
    fullName({ kind: "python", ...line }),
  ]);
  const title = ["", paint.strong(`${subjectTitle(report)}: ${size(total)}`)];
  if (stacks.self.every((bytes) => bytes === 0))
    return [...title, "", isChange ? t("No stack holds more or less.") : t("No stack holds any memory.")];
  return [
    ...title,
    "",
    ...table(
      t("By library"),
      isChange ? [t("Change"), t("Library")] : [t("Memory"), t("Share"), t("Library")],
      libraries,
      paint,
    ),
    "",
    ...table(t("Top allocators"), [t("Self"), t("Total"), t("Function")], allocators, paint),
    ...(lines.length === 0 ? [] : ["", ...table(t("Python lines"), [t("Live"), t("Own"), t("Line")], lines, paint)]),
    "",
    paint.faint(isChange ? `${changeLegend()}\n${legend()}` : legend()),
  ];
}

const legend = (): string =>
  [
    t("Self: what the function asked for itself, through malloc and the like.  Total: with what it called."),
    t(
      "Live: allocated by the line and what it called, and not freed yet.  Own: without other lines of the project it called.",
    ),
  ].join("\n");
const changeLegend = (): string => t("All figures are the later snapshot's less the earlier one's.");

/** The heaviest rows; the last column is text. */
function table(title: string, headings: readonly string[], rows: readonly string[][], paint: Paint): string[] {
  const [first = "", ...lines] = aligned([headings, ...rows.slice(0, MOST_ROWS)], headings.length - 1);
  const more = rows.length - MOST_ROWS;
  return [
    paint.strong(title),
    paint.faint(first),
    ...lines,
    ...(more > 0 ? [t("and {0} more, which --json lists", formatCount(more))] : []),
  ];
}

function measuredTable(lines: readonly MeasuredLine[], paint: Paint): string {
  const rows = byChange(lines).map((line) => [...measuredCells(line), printable(`${line.path}:${line.line}`)]);
  return table(t("Heap before and after lines"), [...measuredHeadings(), t("Line")], rows, paint).join("\n");
}

function share(part: number, all: number): string {
  return all === 0 ? "" : `${((100 * part) / all).toFixed(1)} %`;
}
