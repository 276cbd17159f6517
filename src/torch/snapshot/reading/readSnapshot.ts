/** A snapshot from the bytes of its pickle. */
import { formatBytes, formatCount } from "../../../profile/text/format.ts";
import { phrase, t } from "../../../words/t.ts";
import { createBudget } from "../../pickle/limits.ts";
import { createUnpickler } from "../../pickle/unpickler.ts";
import { PickleDict, PickleList, type PickleValue } from "../../pickle/values.ts";
import type { EventTable, Segment, Snapshot } from "../model.ts";
import { noSnapshot, wrongValue } from "./errors.ts";
import { COMMON_TEXTS, createSnapshotFold, type SnapshotFold } from "./fold.ts";
import { AnnotationPart, EVENT, SegmentPart, TracePart } from "./parts.ts";

export interface SnapshotReader {
  /** @throws UserError `pickle-refused`, `pickle-damaged`, `pickle-foreign`, `pickle-too-large`, `snapshot-damaged` */
  push(chunk: Uint8Array): void;
  /** @throws UserError `snapshot-foreign` and as `push` */
  finish(): Snapshot;
}

/**
 * For a file in pieces, so that it need not be in memory as a whole, and others may have their turn in between.
 *
 * @param size bytes of the file, as far as it is known: columns are made large enough at once
 */
export function createSnapshotReader(size = 0): SnapshotReader {
  const budget = createBudget();
  let read = 0;
  const fold = createSnapshotFold(budget, () => (size > 0 ? Math.min(1, read / size) : 0));
  const unpickler = createUnpickler({ fold: fold.fold, countedItem: EVENT, budget, texts: COMMON_TEXTS });
  return {
    push(chunk) {
      read += chunk.length;
      unpickler.push(chunk);
    },
    finish() {
      const { value, bytesAfter } = unpickler.finish();
      const snapshot = snapshotOf(value, fold);
      if (bytesAfter === 0) return snapshot;
      const more = t("After the snapshot the file continues for {0}, which was not read.", formatBytes(bytesAfter));
      return { ...snapshot, problems: [...snapshot.problems, more] };
    },
  };
}

/** @throws UserError as SnapshotReader */
export function readSnapshot(bytes: Uint8Array): Snapshot {
  const reader = createSnapshotReader(bytes.length);
  reader.push(bytes);
  return reader.finish();
}

function snapshotOf(value: PickleValue, fold: SnapshotFold): Snapshot {
  const parts = partsOf(value);
  const segments = parts.segments.map((part) => {
    if (!(part instanceof SegmentPart))
      throw wrongValue("segments", phrase("the snapshot"), part, t("a list of segments"));
    return part.segment;
  });
  const annotations = parts.annotations.flatMap((part) => (part instanceof AnnotationPart ? part.annotation : []));
  return {
    segments,
    annotations,
    events: tables(parts.traces, fold),
    stacks: fold.stacks.stacks,
    frames: fold.stacks.frames,
    settings: settingsOf(parts.settings),
    problems: [
      ...unknownActions(fold),
      ...unknownAnnotations(parts.annotations.length - annotations.length),
      ...unequalSums(segments),
    ],
  };
}

interface Parts {
  readonly segments: readonly PickleValue[];
  readonly traces: readonly PickleValue[];
  readonly annotations: readonly PickleValue[];
  readonly settings: PickleDict | undefined;
}

function partsOf(value: PickleValue): Parts {
  // What torch.cuda.memory_snapshot() gives: the segments alone.
  if (value instanceof PickleList && value.items.every((item) => item instanceof SegmentPart)) {
    return { segments: value.items, traces: [], annotations: [], settings: undefined };
  }
  if (!(value instanceof PickleDict)) throw noSnapshot(value);
  const segments = value.get("segments");
  if (!(segments instanceof PickleList)) {
    throw segments === undefined
      ? noSnapshot(value)
      : wrongValue("segments", phrase("the snapshot"), segments, t("a list"));
  }
  const traces = value.get("device_traces");
  if (traces !== undefined && !(traces instanceof PickleList)) {
    throw wrongValue("device_traces", phrase("the snapshot"), traces, t("a list"));
  }
  const settings = value.get("allocator_settings");
  const annotations = value.get("external_annotations");
  return {
    segments: segments.items,
    traces: traces?.items ?? [],
    annotations: annotations instanceof PickleList ? annotations.items : [],
    settings: settings instanceof PickleDict ? settings : undefined,
  };
}

function tables(traces: readonly PickleValue[], { events }: SnapshotFold): EventTable[] {
  return traces.flatMap((trace, device) => {
    if (trace instanceof TracePart) return [events.table(device, trace.from, trace.to)];
    // A device without events.
    if (trace instanceof PickleList && trace.items.length === 0) return [];
    throw wrongValue("device_traces", phrase("the snapshot"), trace, t("a list of events"));
  });
}

/** More settings than any allocator has are not shown. */
const MOST_SETTINGS = 200;
const LONGEST_SETTING = 2_000;

function settingsOf(settings: PickleDict | undefined): Record<string, string> {
  const entries = (settings?.keys ?? []).slice(0, MOST_SETTINGS).map((key, at) => {
    return [plainText(key), plainText(settings?.values[at] ?? null)] as const;
  });
  return Object.fromEntries(entries);
}

function plainText(value: PickleValue): string {
  if (value instanceof PickleDict) {
    const entries = value.keys
      .slice(0, MOST_SETTINGS)
      .map((key, at) => `${scalar(key)}: ${scalar(value.values[at] ?? null)}`);
    return entries.join(", ").slice(0, LONGEST_SETTING);
  }
  return scalar(value);
}

/** Containers inside of containers are not gone into: a small file can nest them without end. */
function scalar(value: PickleValue): string {
  if (value === null) return "None";
  return typeof value === "object" ? "…" : String(value).slice(0, LONGEST_SETTING);
}

function unknownActions({ unknownActions: unknown }: SnapshotFold): string[] {
  return [...unknown].map(([kind, count]) => {
    return t('{0} events of the kind "{1}", which is not known, are passed over.', formatCount(count), kind);
  });
}

function unknownAnnotations(count: number): string[] {
  if (count === 0) return [];
  return [t("{0} annotations are not as PyTorch writes them, and are passed over.", formatCount(count))];
}

/** Where blocks and segments disagree, totals are the segments'. */
function unequalSums(segments: readonly Segment[]): string[] {
  const unequal = segments.filter(({ totalSize, allocatedSize, activeSize, blocks }) => {
    let [total, active, allocated] = [0, 0, 0];
    for (const { size, state } of blocks) {
      total += size;
      if (state !== "inactive") active += size;
      if (state === "active_allocated") allocated += size;
    }
    return total !== totalSize || active !== activeSize || allocated !== allocatedSize;
  });
  if (unequal.length === 0) return [];
  return [
    t(
      "In {0} of {1} segments the blocks do not add up to what the segment says of itself.",
      formatCount(unequal.length),
      formatCount(segments.length),
    ),
  ];
}
