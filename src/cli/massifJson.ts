/** A massif.out file as JSON for other programs; what is not known is left out. */
import { countsStacks } from "../massif/counted.ts";
import { difference } from "../massif/difference.ts";
import { fullName } from "../massif/frameNames.ts";
import { type LineAtPeak, linesAtPeak } from "../massif/lines.ts";
import type { FrameNames, FrameTree, MassifFile, MeasuredLine, MeasuredLines, Snapshot } from "../massif/model.ts";
import { snapshotNames } from "../massif/snapshots.ts";
import { type Allocator, byLibrary, type LibraryBytes, libraryName, topAllocators } from "../massif/summary.ts";

/** What was read, for people and for programs. */
export interface Report {
  readonly path: string;
  readonly file: MassifFile;
  /** How much is known of the Python frames in the stacks. */
  readonly level: FrameNames["level"];
  readonly measured: MeasuredLines;
  /** Which of the files beside it could not be read; whole sentences. */
  readonly unread: readonly string[];
  /** What the tables are of; undefined where the file has no stacks. */
  readonly subject: Subject | undefined;
}

/** Snapshots by their places in the file, with their stacks as `frameTreeOf` gives them. */
export type Subject =
  | { readonly kind: "snapshot"; readonly place: number; readonly stacks: FrameTree }
  | {
      readonly kind: "difference";
      readonly before: number;
      readonly after: number;
      readonly stacksBefore: FrameTree;
      readonly stacksAfter: FrameTree;
    };

/** The stacks that the tables are of; of a difference the later ones less the earlier ones. */
export function subjectStacks(subject: Subject): FrameTree {
  return subject.kind === "snapshot" ? subject.stacks : difference(subject.stacksBefore, subject.stacksAfter).tree;
}

export function massifJson(report: Report): object {
  const { file, subject } = report;
  const names = snapshotNames(file.snapshots);
  return {
    schema: 1,
    file: {
      path: report.path,
      command: file.command,
      description: file.description,
      time_unit: file.timeUnit,
      python_frames: report.level,
    },
    snapshots: file.snapshots.map((snapshot, place) => snapshotJson(snapshot, names[place], countsStacks(file))),
    ...(subject === undefined ? {} : subjectJson(subject, names)),
    ...(report.measured.lines.length === 0 ? {} : { measured_lines: report.measured.lines.map(measuredJson) }),
    problems: [...report.unread.map((message) => ({ message })), ...file.problems],
  };
}

function snapshotJson({ time, heap, extra, stacks, tree }: Snapshot, number: number | undefined, hasStacks: boolean) {
  return {
    number,
    time,
    heap_bytes: heap,
    extra_bytes: extra,
    ...(hasStacks ? { stacks_bytes: stacks } : {}),
    tree: tree.kind,
  };
}

function subjectJson(subject: Subject, names: readonly number[]): object {
  const stacks = subjectStacks(subject);
  return {
    subject:
      subject.kind === "snapshot"
        ? { snapshot: names[subject.place] }
        : { before: names[subject.before], after: names[subject.after] },
    total_bytes: stacks.total[0],
    libraries: byLibrary(stacks).map(libraryJson),
    allocators: topAllocators(stacks).map(allocatorJson),
    lines: linesAtPeak(stacks).map(lineJson),
  };
}

function libraryJson({ library, bytes }: LibraryBytes): object {
  const paths = library.kind === "library" ? { paths: library.paths } : {};
  return { kind: library.kind, name: libraryName(library), ...paths, bytes };
}

function allocatorJson({ frame, self, total }: Allocator): object {
  const { function: name, source, library } = frame.kind === "native" ? frame : {};
  return {
    name: fullName(frame),
    ...(name === undefined ? {} : { function: name }),
    ...(source === undefined ? {} : { source }),
    ...(library === undefined ? {} : { library }),
    self_bytes: self,
    total_bytes: total,
  };
}

function lineJson({ path, line, function: name, exact, total, own }: LineAtPeak): object {
  return {
    path,
    ...(exact ? { line } : { definition_line: line }),
    function: name,
    total_bytes: total,
    own_bytes: own,
  };
}

function measuredJson({ path, line, function: name, hits, measured, net }: MeasuredLine): object {
  return { path, line, ...(name === "" ? {} : { function: name }), hits, measured_hits: measured, net_bytes: net };
}
