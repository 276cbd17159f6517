/** What the program was at: torch's record_function notes where each of its parts begins and ends (torch 2.7 and newer). */
import { defined } from "../../profile/defined.ts";
import type { EventTable, Snapshot } from "./model.ts";

/** A part of the program, by moments of its device's events. */
export interface AnnotatedSpan {
  readonly name: string;
  /** Absent: it began before what PyTorch kept. */
  readonly from?: number;
  /** Absent: it had not ended when the snapshot was taken. */
  readonly to?: number;
}

type Moments = Pick<AnnotatedSpan, "from" | "to">;

/** Of a device, in the order in which they began, outer ones first; none where its events have no times. */
export function annotatedSpans({ annotations, events }: Snapshot, device: number): AnnotatedSpan[] {
  const table = events.find((candidate) => candidate.device === device);
  if (table === undefined || Number.isNaN(table.timeUs[0] ?? Number.NaN)) return [];
  const spans: { name: string; from?: number; to?: number }[] = [];
  const open = new Map<string, { name: string; from?: number; to?: number }[]>();
  for (const annotation of annotations) {
    if (annotation.device !== device) continue;
    const { name } = annotation;
    const moment = momentOf(table, annotation.timeUs);
    const begun = open.get(name) ?? [];
    open.set(name, begun);
    if (annotation.stage === "START") {
      const span = { name, from: moment };
      spans.push(span);
      begun.push(span);
      continue;
    }
    // A part may be within another one of the same name.
    const span = begun.pop();
    if (span === undefined) spans.push({ name, to: moment });
    else span.to = moment;
  }
  return spans.sort(outerFirst).map(defined);
}

/** Those that began together are in their order already; of those whose beginning is not known, outer ones end later. */
function outerFirst(a: Moments, b: Moments): number {
  if (a.from === undefined && b.from === undefined) return (b.to ?? 0) - (a.to ?? 0);
  return (a.from ?? -1) - (b.from ?? -1);
}

/** Those within which a moment lies, the outermost first. */
export function spansAt(spans: readonly AnnotatedSpan[], moment: number): AnnotatedSpan[] {
  return spans.filter(({ from = 0, to = Number.POSITIVE_INFINITY }) => from < moment && moment <= to);
}

/** How many events happened before. */
function momentOf({ timeUs }: EventTable, time: number): number {
  let [low, high] = [0, timeUs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timeUs[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
