/** What the page says in words. Every figure is said with what it measures. */
import { formatBytes, formatCount, formatDuration } from "../../src/profile/text/format.ts";
import { printable } from "../../src/profile/text/text.ts";
import type {
  SnapshotAllocation,
  SnapshotDevice,
  SnapshotFrame,
  SnapshotOutOfMemory,
  WireAllocatorState,
} from "../../src/protocol/torch/snapshot.ts";
import { spansAt } from "../../src/torch/snapshot/annotations.ts";
import { type Phrase, phrase, say, sentences, t } from "../../src/words/t.ts";
import type { Part, StateFigures } from "./state/segments.ts";

const first = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `after event 12 of 4,657 · 1.2 s`. */
export function momentText(moment: number, { events }: SnapshotDevice, ms: number | undefined): string {
  if (events === 0) return t("when the snapshot was taken");
  const time = ms === undefined ? "" : ` · ${formatDuration(ms)}`;
  if (moment === 0)
    return t(
      "before the first of {0}{1}",
      events === 1 ? t("1 recorded event") : t("{0} recorded events", formatCount(events)),
      time,
    );
  const end = moment === events ? t(", when the snapshot was taken") : "";
  return t("after event {0} of {1}{2}{3}", formatCount(moment), formatCount(events), time, end);
}

const oomText = ({ requested, deviceFree, held }: SnapshotOutOfMemory): string =>
  t(
    "asked for {0} while {1} were held{2}",
    formatBytes(requested),
    formatBytes(held),
    deviceFree === undefined
      ? ""
      : t("; CUDA had {0} free, which leaves out what Linux could reclaim", formatBytes(deviceFree)),
  );

/** A whole program may be within thousands of its own parts. */
const MOST_PARTS = 10;

/** `step › forward`: within which parts of the program a moment lies, as record_function names them; empty: none. */
export function partsText(moment: number, { parts }: SnapshotDevice): string {
  const names = spansAt(parts, moment).map(({ name }) => printable(name));
  return names.slice(0, MOST_PARTS).join(" › ");
}

/** The chosen moment in sentences: which it is, what was held, and what could not be had. */
export function momentSentences(
  moment: number,
  device: SnapshotDevice,
  ms: number | undefined,
  held: number | undefined,
): string {
  const when = first(momentText(moment, device, ms));
  const what = held === undefined ? t("{0}.", when) : t("{0}: {1} held.", when, formatBytes(held));
  const oom = device.outOfMemory
    .filter((each) => each.moment === moment)
    .map((each) => t("Out of memory: {0}.", oomText(each)));
  const parts = partsText(moment, device);
  return sentences(what, ...(parts === "" ? [] : [t("Within {0}.", parts)]), ...oom);
}

/** Where the reserved memory is, and what fragmentation there is. */
export function stateSentences(figures: StateFigures, homeless: WireAllocatorState["homeless"]): string[] {
  const { segments, reserved, allocated, waiting, cached, pieces } = figures;
  if (segments === 0) return [t("PyTorch holds no segment of this device's memory at this moment.")];
  const waits = waiting === 0 ? "" : t(", {0} were freed but await another stream", formatBytes(waiting));
  const sentences = [
    t(
      "PyTorch took {0} in {1}: {2} are in use{3}.",
      formatBytes(reserved),
      segments === 1 ? t("1 segment") : t("{0} segments", formatCount(segments)),
      formatBytes(allocated),
      waits,
    ),
  ];
  if (pieces.bytes === 0) sentences.push(t("No segment in use has free parts, so nothing is lost to fragmentation."));
  else
    sentences.push(
      pieces.count === 1
        ? t("{0} are free inside segments in use, in one piece.", formatBytes(pieces.bytes))
        : t(
            "{0} are free inside segments in use, but in {1}: the largest is {2}, so a larger tensor does not fit there (fragmentation).",
            formatBytes(pieces.bytes),
            pieces.count === 1 ? t("1 piece") : t("{0} pieces", formatCount(pieces.count)),
            formatBytes(pieces.largest),
          ),
    );
  if (cached > 0)
    sentences.push(
      t("{0} are segments wholly free: PyTorch keeps them, and gives them back when it must.", formatBytes(cached)),
    );
  if (homeless.blocks > 0)
    sentences.push(
      t(
        "{0} ({1}) in use then lay in segments that are no longer known; they are not drawn.",
        homeless.blocks === 1 ? t("1 block") : t("{0} blocks", formatCount(homeless.blocks)),
        formatBytes(homeless.bytes),
      ),
    );
  return sentences;
}

/** `20.0 MiB · small · pool 1.0 · expandable`; a plain segment of the default pool is only its size. */
export function segmentName({ size, type, stream, pool, expandable }: WireAllocatorState["segments"][number]): string {
  return [
    formatBytes(size),
    ...(type === undefined ? [t("given back later")] : type === "small" ? [t("small")] : []),
    ...(pool === undefined ? [] : [t("private pool {0}", printable(pool))]),
    ...(expandable ? [t("expandable")] : []),
    ...(stream === undefined || /^(0x)?0+$/.test(stream) ? [] : [t("stream {0}", printable(stream))]),
  ].join(" · ");
}

const PART_NAMES: Readonly<Record<Part["kind"], Phrase>> = {
  allocated: phrase("In use"),
  waiting: phrase("Freed, awaiting another stream"),
  free: phrase("Free"),
};

type Segment = WireAllocatorState["segments"][number];

/** `Free: 2.0 MiB, in a segment of 20.0 MiB`. */
export const partInSegmentText = ({ kind, size }: Part, segment: Segment): string =>
  t("{0}: {1}, in a segment of {2}", say(PART_NAMES[kind]), formatBytes(size), segmentName(segment));

/** The same with addresses; a block in use has an allocation that says more. */
export function freePartText(part: Part, segment: Segment): string {
  const address = `0x${(BigInt(segment.address) + BigInt(part.offset)).toString(16)}`;
  return t(
    "Free: {0} at {1}, in a segment of {2} at {3}.",
    formatBytes(part.size),
    address,
    segmentName(segment),
    segment.address,
  );
}

/** How long an allocation was there. */
export function lifetimeText({ start, end, duration }: SnapshotAllocation, events: number): string {
  if (events === 0) return t("not known: the file has no events");
  const from = start === undefined ? t("before the first recorded event") : t("event {0}", formatCount(start));
  const to = end === undefined ? t("not freed when the snapshot was taken") : t("freed at event {0}", formatCount(end));
  const count = (end ?? events) - (start ?? 0);
  const length = count === 1 ? t("1 event") : t("{0} events", formatCount(count));
  const long = duration === undefined ? length : t("{0}, {1}", length, formatDuration(duration));
  const lasted = start === undefined || end === undefined ? t("at least {0}", long) : long;
  return t("{0} (from {1}; {2})", lasted, from, to);
}

/** `forward (/home/nano/train.py:33)`, `at::empty (Empty.cpp)`. */
export function frameText({ name, place, source }: SnapshotFrame): string {
  const where = place === undefined ? source : `${place.path}:${place.line}`;
  return printable(where === undefined || where === "" ? name : `${name} (${where})`);
}
