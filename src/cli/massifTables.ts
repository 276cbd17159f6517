/** A massif.out file as text: its snapshots, and whose the memory of one of them is. */
import { countsPages, countsStacks } from "../massif/counted.ts";
import { fullName, shortName } from "../massif/frameNames.ts";
import { isEvaluation, isPad } from "../massif/interpreterFrames.ts";
import { linesAtPeak } from "../massif/lines.ts";
import type { FrameTree, MassifFile, MeasuredLine, Snapshot } from "../massif/model.ts";
import { peakPlace, snapshotNames, snapshotTotal } from "../massif/snapshots.ts";
import { byLibrary, libraryName, topAllocators } from "../massif/summary.ts";
import type { Paint } from "../profile/annotate.ts";
import { formatBytes, formatChange, formatCount, formatDuration } from "../profile/format.ts";
import { aligned } from "../profile/table.ts";
import { printable } from "../profile/text.ts";
import { type Report, type Subject, subjectStacks } from "./massifJson.ts";

const MOST_ROWS = 15;
const MOST_SNAPSHOTS = 20;
const MOST_PROBLEMS = 5;

export function massifTables(report: Report, paint: Paint): string {
  const { file, subject, measured } = report;
  const stacks = subject && subjectStacks(subject);
  const parts = [
    heading(report, paint),
    ...report.unread.map((note) => printable(`Note: ${note}`)),
    ...problemNotes(file),
    ...(stacks === undefined ? ["Note: Massif kept no stacks in this file, only how much memory there was."] : []),
    ...pythonNotes(report, stacks),
    "",
    snapshotTable(file, paint),
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
      ? `snapshot ${names[subject.place]}${peakWords(file, subject.place)}`
      : `from snapshot ${names[subject.before]} to snapshot ${names[subject.after]}`;
  return printable(`${command}, ${what}`);
}

function peakWords({ snapshots }: MassifFile, place: number): string {
  if (place !== peakPlace(snapshots)) return "";
  return snapshots[place]?.tree.kind === "peak" ? ", the peak" : ", the largest with stacks (massif marked no peak)";
}

function heading({ path, file }: Report, paint: Paint): string {
  const withStacks = file.snapshots.filter(({ tree }) => tree.kind !== "none").length;
  const counted = countsPages(file) ? "every mapped page" : "the heap";
  const count = file.snapshots.length;
  const snapshots = `${formatCount(count)} ${count === 1 ? "snapshot" : "snapshots"}, ${formatCount(withStacks)} with stacks`;
  const facts = [path, snapshots, `massif counted ${counted}`];
  return `${paint.strong(printable(file.command))}\n${printable(facts.join(" · "))}`;
}

function problemNotes({ problems }: MassifFile): string[] {
  const notes = problems.slice(0, MOST_PROBLEMS).map(({ line, message }) => `Note: line ${line}: ${message}.`);
  const more = problems.length - notes.length;
  return [...notes, ...(more > 0 ? [`Note: … and ${formatCount(more)} more such lines.`] : [])].map(printable);
}

/** Says what stands between the reader and Python lines. */
function pythonNotes({ level }: Report, stacks: FrameTree | undefined): string[] {
  if (level === "functions") {
    return ["Note: Of the Python code only the functions are known, not the lines."];
  }
  const natives = stacks?.frames.flatMap((frame) => (frame.kind === "native" ? frame : [])) ?? [];
  if (level === "lines" || !natives.some(isEvaluation)) return [];
  return natives.some(({ function: name = "" }) => isPad(name))
    ? [
        "Note: Names such as py_00042 stand for Python lines. Which lines they are is in massif.frames.PID.jsonl of the " +
          "run's folder, which is not beside this file.",
      ]
    : [
        "Note: These stacks name no Python lines. For those, run the script with " +
          '"jetson-memprof profile --engine massif".',
      ];
}

function snapshotTable(file: MassifFile, paint: Paint): string {
  const { snapshots, timeUnit } = file;
  const names = snapshotNames(snapshots);
  const hasStacks = countsStacks(file);
  const shown = shownSnapshots(snapshots);
  const rows = shown.map((place) => {
    const snapshot = snapshots[place];
    if (snapshot === undefined) return [];
    const { time, heap, extra, stacks, tree } = snapshot;
    return [
      String(names[place]),
      timeText(time, timeUnit),
      formatBytes(heap),
      formatBytes(extra),
      ...(hasStacks ? [formatBytes(stacks)] : []),
      formatBytes(snapshotTotal(snapshot)),
      { none: "", detailed: "stacks", peak: "stacks, peak" }[tree.kind],
    ];
  });
  const headings = ["Snapshot", "Time", "Heap", "Extra", ...(hasStacks ? ["Stacks"] : []), "Total", "Kept"];
  const [first = "", ...lines] = aligned([headings, ...rows], headings.length - 1);
  const left = snapshots.length - shown.length;
  return [
    paint.faint(first),
    ...lines,
    ...(left > 0 ? [`and ${formatCount(left)} more snapshots, which --json lists`] : []),
    paint.faint("Heap: what the program asked for.  Extra: massif's estimate of what the allocator adds to it."),
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
  return unit === "i" ? `${formatCount(time)} instructions` : `${formatBytes(time)} allocated`;
}

function stackTables(report: Report, subject: Subject, stacks: FrameTree, paint: Paint): string[] {
  const total = stacks.total[0] ?? 0;
  const isChange = subject.kind === "difference";
  const size = isChange ? formatChange : formatBytes;
  const libraries = byLibrary(stacks).map(({ library, bytes }) => [
    size(bytes),
    ...(isChange ? [] : [share(bytes, total)]),
    libraryName(library),
  ]);
  const allocators = topAllocators(stacks).map(({ frame, self, total }) => [size(self), size(total), shortName(frame)]);
  const lines = linesAtPeak(stacks).map(({ total, own, ...place }) => [
    size(total),
    size(own),
    fullName({ kind: "python", ...place }),
  ]);
  const title = ["", paint.strong(`${subjectTitle(report)}: ${size(total)}`)];
  if (stacks.self.every((bytes) => bytes === 0))
    return [...title, "", isChange ? "No stack holds more or less." : "No stack holds any memory."];
  return [
    ...title,
    "",
    ...table("By library", isChange ? ["Change", "Library"] : ["Memory", "Share", "Library"], libraries, paint),
    "",
    ...table("Top allocators", ["Self", "Total", "Function"], allocators, paint),
    ...(lines.length === 0 ? [] : ["", ...table("Python lines", ["Live", "Own", "Line"], lines, paint)]),
    "",
    paint.faint(isChange ? `${CHANGE_LEGEND}\n${LEGEND}` : LEGEND),
  ];
}

const LEGEND = [
  "Self: what the function asked for itself, by way of malloc and the like.  Total: with what it called.",
  "Live: allocated by the line and what it called, and not freed yet.  Own: without other lines of the project it called.",
].join("\n");
const CHANGE_LEGEND = "All figures are the later snapshot's less the earlier one's.";

/** The heaviest rows; the last column is text. */
function table(title: string, headings: readonly string[], rows: readonly string[][], paint: Paint): string[] {
  const [first = "", ...lines] = aligned([headings, ...rows.slice(0, MOST_ROWS)], headings.length - 1);
  const more = rows.length - MOST_ROWS;
  return [
    paint.strong(title),
    paint.faint(first),
    ...lines,
    ...(more > 0 ? [`and ${formatCount(more)} more, which --json lists`] : []),
  ];
}

function measuredTable(lines: readonly MeasuredLine[], paint: Paint): string {
  const rows = [...lines]
    .sort((a, b) => Math.abs(b.net) - Math.abs(a.net))
    .map(({ path, line, hits, measured, net }) => [
      formatChange(net),
      formatCount(hits),
      formatCount(measured),
      printable(`${path}:${line}`),
    ]);
  return table("Heap before and after lines", ["Net", "Hits", "Measured", "Line"], rows, paint).join("\n");
}

function share(part: number, all: number): string {
  return all === 0 ? "" : `${((100 * part) / all).toFixed(1)} %`;
}
