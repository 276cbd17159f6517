/** What can be chosen of a document, and how it is called. */
import type { Snapshot } from "../../src/massif/model.ts";
import { peakPlace, snapshotNames } from "../../src/massif/snapshots.ts";
import { formatBytes, formatChange, formatCount, formatDuration, withBand } from "../../src/profile/text/format.ts";
import type {
  Choice,
  DocumentFile,
  DocumentLine,
  MassifDocument,
  SnapshotSummary,
  TreeRef,
} from "../../src/protocol/massif/massif.ts";
import { t } from "../../src/words/t.ts";

export const hasStacks = (snapshot: SnapshotSummary | undefined): boolean =>
  snapshot !== undefined && snapshot.tree !== "none" && snapshot.nodes > 0;

/** The file whose snapshots a choice is about. */
export function fileOf(choice: Choice, document: MassifDocument): number {
  switch (choice.kind) {
    case "snapshot":
      return choice.file;
    case "runs":
      return choice.after.file;
    case "line":
      return document.lines[choice.line]?.file ?? 0;
  }
}

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
  if (choice.kind === "runs") {
    return [choice.before, choice.after].every(({ file, snapshot }) =>
      hasStacks(document.files[file]?.snapshots[snapshot]),
    );
  }
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

/** The change of a process from one run to the other. */
export function pairChoice({ pairs }: MassifDocument, place: number): Choice | undefined {
  const pair = pairs?.[place];
  return pair && { kind: "runs", before: pair.before, after: pair.after };
}

/** What to show while nothing was chosen: the change between two runs, else the first peak there is. */
export function startingChoice(document: MassifDocument): Choice | undefined {
  const pair = pairChoice(document, 0);
  if (pair) return pair;
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
  if (choice.kind === "runs") {
    return [
      { kind: "snapshot", ...choice.before },
      { kind: "snapshot", ...choice.after },
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
  if (unit === "B") return t("{0} allocated", formatBytes(time));
  if (time < 1e6) return t("{0} instructions", formatCount(time));
  return time < 1e9
    ? t("{0} million instr.", (time / 1e6).toFixed(1))
    : t("{0} billion instr.", (time / 1e9).toFixed(1));
}

/** One snapshot in words, as the readout shows it and a screen reader says it. */
export function describeSnapshot(file: DocumentFile, place: number): string {
  const snapshot = file.snapshots[place];
  if (!snapshot) return "";
  const { extra, stacks } = snapshot;
  const heap = withBand(formatBytes(snapshot.heap), snapshot.band);
  return [
    t("Snapshot {0}{1}", nameOf(file, place), place === peakOf(file) && snapshot.tree === "peak" ? t(" (peak)") : ""),
    timeText(snapshot.time, file.timeUnit),
    file.gpu ? t("GPU memory {0}", heap) : file.pagesAsHeap ? t("pages {0}", heap) : t("heap {0}", heap),
    ...(extra > 0 ? [t("allocator overhead {0}", formatBytes(extra))] : []),
    ...(stacks > 0 ? [t("stacks {0}", formatBytes(stacks))] : []),
    ...(hasStacks(snapshot) ? [] : [t("sizes only, no call stacks")]),
  ].join(" · ");
}

export const placeText = (line: Pick<DocumentLine, "place">): string => `${line.place.path}:${line.place.line}`;

/** A choice in words. */
export function describeChoice(choice: Choice, document: MassifDocument): string {
  if (choice.kind === "line") {
    const line = document.lines[choice.line];
    const execution = line?.executions[choice.execution];
    if (!line || !execution) return "";
    const change = withBand(formatChange(execution.after - execution.before), execution.noise);
    const sides = t("{0} before, {1} after", formatBytes(execution.before), formatBytes(execution.after));
    return t("{0}, execution {1}: {2} ({3})", placeText(line), execution.hit, change, sides);
  }
  if (choice.kind === "runs") {
    const [before, after] = [choice.before, choice.after].map(
      ({ file, snapshot }) => document.files[file]?.snapshots[snapshot],
    );
    if (!before || !after) return "";
    const change = formatChange(after.heap - before.heap);
    return t(
      "Change from the earlier run's peak to the later one's: {0} ({1} → {2})",
      change,
      formatBytes(before.heap),
      formatBytes(after.heap),
    );
  }
  const file = document.files[choice.file];
  if (!file) return "";
  const [first, second] = treesOf(choice);
  const at = (ref: TreeRef): number => (ref.kind === "snapshot" ? ref.snapshot : 0);
  if (!second) return describeSnapshot(file, at(first));
  const [before, after] = [file.snapshots[at(first)], file.snapshots[at(second)]];
  if (!before || !after) return "";
  const change = formatChange(after.heap - before.heap);
  return t(
    "Change from snapshot {0} to snapshot {1}: {2} ({3} → {4})",
    nameOf(file, at(first)),
    nameOf(file, at(second)),
    change,
    formatBytes(before.heap),
    formatBytes(after.heap),
  );
}
