/** How moments lie from left to right: by their number, or by time. Positions are fractions of all that was recorded. */
import { ticks } from "d3-array";
import { formatCount } from "../../../src/profile/text/format.ts";
import { timeScale } from "../../timeScale.ts";
import type { ActiveMemory } from "../decode.ts";
import { firstAbove, highestStep, stepAt } from "./curve.ts";
import type { Columns } from "./raster.ts";

export type AxisKind = "events" | "time";

/** Which part is seen: 0 ≤ from < to ≤ 1. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How far a recording reaches. */
export interface Extent {
  readonly events: number;
  /** ms; 0 where the file has no times. */
  readonly duration: number;
}

export interface Axis {
  /** Of each moment that is drawn, ascending. */
  readonly positions: Float64Array;
  /** Where the recording ends: before 1, where another one is drawn over it and is longer. */
  readonly end: number;
  positionOf(moment: number): number;
  momentAt(position: number): number;
  /** About `count` places of a span, and what stands below them. */
  ticks(span: Span, count: number): readonly { readonly position: number; readonly text: string }[];
}

/** @param whole of all recordings on the axis */
export function axisOf(kind: AxisKind, memory: ActiveMemory, own: Extent, whole: Extent): Axis {
  return kind === "time"
    ? timeAxis(memory, own.duration, Math.max(0.001, whole.duration))
    : eventAxis(memory, own.events, Math.max(1, whole.events));
}

function eventAxis({ moment }: ActiveMemory, events: number, extent: number): Axis {
  return {
    positions: Float64Array.from(moment, (each) => each / extent),
    end: Math.min(1, events / extent),
    positionOf: (each) => each / extent,
    momentAt: (position) => Math.min(events, Math.round(position * extent)),
    ticks: ({ from, to }, count) =>
      ticks(from * extent, to * extent, count)
        .filter(Number.isInteger)
        .map((event) => ({ position: event / extent, text: formatCount(event) })),
  };
}

function timeAxis({ moment, t }: ActiveMemory, duration: number, extent: number): Axis {
  const positions = new Float64Array(t.length);
  let latest = 0;
  t.forEach((each, i) => {
    // A moment without a time, or one that a clock put back, lies where the one before it does.
    latest = Math.max(latest, Number.isFinite(each) ? Math.min(1, each / extent) : latest);
    positions[i] = latest;
  });
  return {
    positions,
    end: Math.min(1, Math.max(0.001, duration) / extent),
    positionOf: (each) => positions[stepAt(moment, each)] ?? 0,
    momentAt: (position) => moment[stepAt(positions, position)] ?? 0,
    ticks({ from, to }, count) {
      const times = timeScale(from * extent, to * extent, count);
      return times.ticks.map((ms) => ({ position: ms / extent, text: times.text(ms) }));
    },
  };
}

/** One moment for each of `width` columns: that of the column's moments with the most memory. */
export function columnsOf(axis: Axis, { moment, total, rest }: ActiveMemory, span: Span, width: number): Columns {
  const columns = { moment: new Uint32Array(width), rest: new Float64Array(width) };
  const scale = (span.to - span.from) / Math.max(1, width);
  for (let x = 0; x < width; x++) {
    const step = highestStep(axis.positions, total, span.from + x * scale, span.from + (x + 1) * scale);
    columns.moment[x] = moment[step] ?? 0;
    columns.rest[x] = rest[step] ?? 0;
  }
  return columns;
}

/** The range of moments that a span shows. */
export function momentsIn(axis: Axis, { moment }: ActiveMemory, span: Span): { from: number; to: number } {
  const last = moment[moment.length - 1] ?? 0;
  const next = moment[Math.min(moment.length - 1, firstAbove(axis.positions, span.to))] ?? last;
  return { from: axis.momentAt(span.from), to: Math.max(axis.momentAt(span.to), Math.min(next, last)) };
}
