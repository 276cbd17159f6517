/** What the page says in words. Every figure is said with what it measures. */
import { formatBytes, formatCount, formatDuration } from "../../src/profile/format.ts";
import { printable } from "../../src/profile/text.ts";
import type {
  SnapshotAllocation,
  SnapshotDevice,
  SnapshotFrame,
  SnapshotOutOfMemory,
  WireAllocatorState,
} from "../../src/protocol/snapshot.ts";
import type { Part, StateFigures } from "./state/segments.ts";

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const first = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `after event 12 of 4,657 · 1.2 s`. */
export function momentText(moment: number, { events }: SnapshotDevice, t: number | undefined): string {
  if (events === 0) return "when the snapshot was taken";
  const time = t === undefined ? "" : ` · ${formatDuration(t)}`;
  if (moment === 0) return `before the first of ${counted(events, "recorded event")}${time}`;
  const end = moment === events ? ", when the snapshot was taken" : "";
  return `after event ${formatCount(moment)} of ${formatCount(events)}${time}${end}`;
}

const oomText = ({ requested, deviceFree, held }: SnapshotOutOfMemory): string =>
  `asked for ${formatBytes(requested)} while ${formatBytes(held)} were held${
    deviceFree === undefined
      ? ""
      : `; CUDA had ${formatBytes(deviceFree)} free, which leaves out what Linux could reclaim`
  }`;

/** The chosen moment in sentences: which it is, what was held, and what could not be had. */
export function momentSentences(
  moment: number,
  device: SnapshotDevice,
  t: number | undefined,
  held: number | undefined,
): string {
  const size = held === undefined ? "" : `: ${formatBytes(held)} held`;
  const oom = device.outOfMemory
    .filter((each) => each.moment === moment)
    .map((each) => `Out of memory: ${oomText(each)}.`);
  return [`${first(momentText(moment, device, t))}${size}.`, ...oom].join(" ");
}

/** Where the reserved memory is, and what fragmentation there is. */
export function stateSentences(figures: StateFigures, homeless: WireAllocatorState["homeless"]): string[] {
  const { segments, reserved, allocated, waiting, cached, pieces } = figures;
  if (segments === 0) return ["PyTorch holds no segment of this device's memory at this moment."];
  const waits = waiting === 0 ? "" : `, ${formatBytes(waiting)} were freed but await another stream`;
  const sentences = [
    `PyTorch took ${formatBytes(reserved)} in ${counted(segments, "segment")}: ${formatBytes(allocated)} are in use${waits}.`,
  ];
  if (pieces.bytes === 0) sentences.push("No segment in use has free parts, so nothing is lost to fragmentation.");
  else
    sentences.push(
      pieces.count === 1
        ? `${formatBytes(pieces.bytes)} are free inside segments in use, in one piece.`
        : `${formatBytes(pieces.bytes)} are free inside segments in use, but in ${counted(pieces.count, "piece")}: the largest is ${formatBytes(pieces.largest)}, so a larger tensor does not fit there (fragmentation).`,
    );
  if (cached > 0)
    sentences.push(
      `${formatBytes(cached)} are segments wholly free: PyTorch keeps them, and gives them back when it must.`,
    );
  if (homeless.blocks > 0)
    sentences.push(
      `${counted(homeless.blocks, "block")} (${formatBytes(homeless.bytes)}) in use then lay in segments that are not known any more; they are not drawn.`,
    );
  return sentences;
}

/** `20.0 MiB · small · pool 1.0 · expandable`; a plain segment of the default pool is only its size. */
export function segmentName({ size, type, stream, pool, expandable }: WireAllocatorState["segments"][number]): string {
  return [
    formatBytes(size),
    ...(type === undefined ? ["given back later"] : type === "small" ? ["small"] : []),
    ...(pool === undefined ? [] : [`private pool ${printable(pool)}`]),
    ...(expandable ? ["expandable"] : []),
    ...(stream === undefined || /^(0x)?0+$/.test(stream) ? [] : [`stream ${printable(stream)}`]),
  ].join(" · ");
}

const PART_NAMES: Readonly<Record<Part["kind"], string>> = {
  allocated: "In use",
  waiting: "Freed, awaiting another stream",
  free: "Free",
};

type Segment = WireAllocatorState["segments"][number];

/** `Free: 2.0 MiB, in a segment of 20.0 MiB`. */
export const partInSegmentText = ({ kind, size }: Part, segment: Segment): string =>
  `${PART_NAMES[kind]}: ${formatBytes(size)}, in a segment of ${segmentName(segment)}`;

/** The same with addresses; a block in use has an allocation that says more. */
export function freePartText(part: Part, segment: Segment): string {
  const address = `0x${(BigInt(segment.address) + BigInt(part.offset)).toString(16)}`;
  return `Free: ${formatBytes(part.size)} at ${address}, in a segment of ${segmentName(segment)} at ${segment.address}.`;
}

/** How long an allocation was there. */
export function lifetimeText({ start, end, duration }: SnapshotAllocation, events: number): string {
  if (events === 0) return "not known: the file has no events";
  const from = start === undefined ? "before the first recorded event" : `event ${formatCount(start)}`;
  const to = end === undefined ? "not freed when the snapshot was taken" : `freed at event ${formatCount(end)}`;
  const length = counted((end ?? events) - (start ?? 0), "event");
  const least = start === undefined || end === undefined ? "at least " : "";
  const time = duration === undefined ? "" : `, ${formatDuration(duration)}`;
  return `${least}${length}${time} (from ${from}; ${to})`;
}

/** `forward (/home/nano/train.py:33)`, `at::empty (Empty.cpp)`. */
export function frameText({ name, place, source }: SnapshotFrame): string {
  const where = place === undefined ? source : `${place.path}:${place.line}`;
  return printable(where === undefined || where === "" ? name : `${name} (${where})`);
}
