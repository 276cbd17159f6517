/** What can be chosen of a document, and how it is called. */
import type { Snapshot } from "../../src/massif/model.ts";
import { peakPlace, snapshotNames } from "../../src/massif/snapshots.ts";
import { formatBytes, formatChange, formatCount, formatDuration } from "../../src/profile/format.ts";
import type {
  Choice,
  DocumentFile,
  DocumentLine,
  MassifDocument,
  SnapshotSummary,
  TreeRef,
} from "../../src/protocol/massif.ts";

export const hasStacks = (snapshot: SnapshotSummary | undefined): boolean =>
  snapshot !== undefined && snapshot.tree !== "none" && snapshot.nodes > 0;

/** The file whose snapshots a choice is about. */
export const fileOf = (choice: Choice, document: MassifDocument): number =>
  choice.kind === "snapshot" ? choice.file : (document.lines[choice.line]?.file ?? 0);

/** As the file's reader knows them; where a tree lies in the file does not matter here. */
const read = ({ snapshots }: DocumentFile): Snapshot[] =>
  snapshots.map((snapshot) => {
    const { tree: kind, nodes } = snapshot;
    const none = kind === "none" || !hasStacks(snapshot);
    return { ...snapshot, tree: none ? { kind: "none" } : { kind, nodes, start: 0, end: 0 } };
  });

/** Place of the snapshot that massif marked as the peak, else of the largest with stacks; undefined when none has any. */
export const peakOf = (file: DocumentFile): number | undefined => peakPlace(read(file));

/** What a snapshot is called. */
export const nameOf = (file: DocumentFile, place: number): string => String(snapshotNames(read(file))[place] ?? place);

export function isPossible(choice: Choice, document: MassifDocument): boolean {
  if (choice.kind === "line") return document.lines[choice.line]?.executions[choice.execution]?.stacks === true;
  const snapshots = document.files[choice.file]?.snapshots ?? [];
  const { snapshot, compare } = choice;
  return hasStacks(snapshots[snapshot]) && (compare === undefined || hasStacks(snapshots[compare]));
}

/** The peak of a file; undefined when it has no call stacks. */
export function peakChoice(document: MassifDocument, file: number): Choice | undefined {
  const shown = document.files[file];
  const snapshot = shown && peakOf(shown);
  return snapshot === undefined ? undefined : { kind: "snapshot", file, snapshot };
}

/** What to show while nothing was chosen: the first peak there is. */
export function startingChoice(document: MassifDocument): Choice | undefined {
  for (let file = 0; file < document.files.length; file++) {
    const peak = peakChoice(document, file);
    if (peak) return peak;
  }
  return undefined;
}

/** The choice that shows a tree; of a measured line both of its sides. */
export function choiceOf(ref: TreeRef): Choice {
  return ref.kind === "line"
    ? { kind: "line", line: ref.line, execution: ref.execution }
    : { kind: "snapshot", file: ref.file, snapshot: ref.snapshot };
}

/** The trees behind a choice: one, or the earlier and the later one. */
export function treesOf(choice: Choice): readonly [TreeRef] | readonly [TreeRef, TreeRef] {
  if (choice.kind === "line") {
    const { line, execution } = choice;
    return [
      { kind: "line", line, execution, side: "before" },
      { kind: "line", line, execution, side: "after" },
    ];
  }
  const { file, snapshot, compare } = choice;
  const tree = (place: number): TreeRef => ({ kind: "snapshot", file, snapshot: place });
  if (compare === undefined || compare === snapshot) return [tree(snapshot)];
  return [tree(Math.min(snapshot, compare)), tree(Math.max(snapshot, compare))];
}

/** The nearest snapshot with stacks from `from` in a direction; `from` itself when there is none. */
export function nextWithStacks(snapshots: readonly SnapshotSummary[], from: number, step: 1 | -1): number {
  for (let i = from + step; i >= 0 && i < snapshots.length; i += step) if (hasStacks(snapshots[i])) return i;
  return from;
}

/** A moment of the run in the file's own unit. */
export function timeText(time: number, unit: DocumentFile["timeUnit"]): string {
  if (unit === "ms") return time === 0 ? "0 s" : formatDuration(time);
  if (unit === "B") return `${formatBytes(time)} allocated`;
  if (time < 1e6) return `${formatCount(time)} instructions`;
  return time < 1e9 ? `${(time / 1e6).toFixed(1)} million instr.` : `${(time / 1e9).toFixed(1)} billion instr.`;
}

/** One snapshot in words, as the readout shows it and a screen reader says it. */
export function describeSnapshot(file: DocumentFile, place: number): string {
  const snapshot = file.snapshots[place];
  if (!snapshot) return "";
  const { heap, extra, stacks } = snapshot;
  return [
    `Snapshot ${nameOf(file, place)}${place === peakOf(file) && snapshot.tree === "peak" ? " (peak)" : ""}`,
    timeText(snapshot.time, file.timeUnit),
    `${file.pagesAsHeap ? "pages" : "heap"} ${formatBytes(heap)}`,
    ...(extra > 0 ? [`allocator overhead ${formatBytes(extra)}`] : []),
    ...(stacks > 0 ? [`stacks ${formatBytes(stacks)}`] : []),
    ...(hasStacks(snapshot) ? [] : ["sizes only, no call stacks"]),
  ].join(" · ");
}

export const placeText = (line: Pick<DocumentLine, "place">): string => `${line.place.path}:${line.place.line}`;

/** A choice in words. */
export function describeChoice(choice: Choice, document: MassifDocument): string {
  if (choice.kind === "line") {
    const line = document.lines[choice.line];
    const execution = line?.executions[choice.execution];
    if (!line || !execution) return "";
    const change = formatChange(execution.after - execution.before);
    const sides = `${formatBytes(execution.before)} before, ${formatBytes(execution.after)} after`;
    return `${placeText(line)}, execution ${execution.hit}: ${change} (${sides})`;
  }
  const file = document.files[choice.file];
  if (!file) return "";
  const [first, second] = treesOf(choice);
  const at = (ref: TreeRef): number => (ref.kind === "snapshot" ? ref.snapshot : 0);
  if (!second) return describeSnapshot(file, at(first));
  const [before, after] = [file.snapshots[at(first)], file.snapshots[at(second)]];
  if (!before || !after) return "";
  const change = formatChange(after.heap - before.heap);
  return `Change from snapshot ${nameOf(file, at(first))} to snapshot ${nameOf(file, at(second))}: ${change} (${formatBytes(before.heap)} → ${formatBytes(after.heap)})`;
}
