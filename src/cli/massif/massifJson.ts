/** A massif.out file as JSON for other programs; what is not known is left out. */
import { countsStacks, sampledMean } from "../../massif/counted.ts";
import { difference } from "../../massif/difference.ts";
import { errorJson, measuredLineJson, stacksJson } from "../../massif/exports/stacksJson.ts";
import type { FrameNames, FrameTree, MassifFile, MeasuredLines, Snapshot } from "../../massif/model.ts";
import { recordedAs } from "../../massif/node/sidecars.ts";
import { snapshotNames } from "../../massif/snapshots.ts";

/** What was read, for people and for programs. */
export interface Report {
  readonly path: string;
  readonly file: MassifFile;
  /** How much is known of the Python frames in the stacks. */
  readonly level: FrameNames["level"];
  /** How far the sizes of the snapshots may be off; undefined where every allocation was counted. */
  readonly bands: readonly number[] | undefined;
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
  const mean = sampledMean(file);
  return {
    schema: 1,
    file: {
      path: report.path,
      command: file.command,
      description: file.description,
      time_unit: file.timeUnit,
      python_frames: report.level,
      ...(mean === undefined ? {} : { sampled_mean_bytes: mean }),
    },
    snapshots: file.snapshots.map((snapshot, place) =>
      snapshotJson(report, snapshot, names[place], report.bands?.[place]),
    ),
    ...(subject === undefined ? {} : subjectJson(subject, names)),
    ...(report.measured.lines.length === 0
      ? {}
      : { measured_lines: report.measured.lines.map((line) => measuredLineJson(line, mean)) }),
    problems: [...report.unread.map((message) => ({ message })), ...file.problems],
  };
}

function snapshotJson(
  { file, path }: Report,
  { time, heap, extra, stacks, tree }: Snapshot,
  number: number | undefined,
  band: number | undefined,
) {
  return {
    number,
    time,
    heap_bytes: heap,
    ...errorJson("heap", band),
    // What the allocator adds is not known of sampled blocks, and of the GPU's there is none.
    ...(sampledMean(file) === undefined && recordedAs(path)?.memory !== "gpu" ? { extra_bytes: extra } : {}),
    ...(countsStacks(file) ? { stacks_bytes: stacks } : {}),
    tree: tree.kind,
  };
}

function subjectJson(subject: Subject, names: readonly number[]): object {
  return {
    subject:
      subject.kind === "snapshot"
        ? { snapshot: names[subject.place] }
        : { before: names[subject.before], after: names[subject.after] },
    ...stacksJson(subjectStacks(subject), subject.kind),
  };
}
