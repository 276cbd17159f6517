/** Segments with their blocks and the gaps between them, and what they add up to. Sizes are bytes. */
import type { AllocatorState } from "../decode.ts";

export interface Part {
  readonly kind: "allocated" | "waiting" | "free";
  /** From the segment's start. */
  readonly offset: number;
  readonly size: number;
  /** Place among the blocks; absent for what is free. */
  readonly block?: number;
}

export interface SegmentRow {
  /** Place among the segments. */
  readonly segment: number;
  readonly parts: readonly Part[];
}

/** Segments, largest first within each pool, with all of their parts in order. */
export function segmentRows({ segments, blocks }: AllocatorState): SegmentRow[] {
  const parts: Part[][] = segments.map(() => []);
  const ends = new Float64Array(segments.length);
  const gap = (segment: number, to: number): void => {
    const from = ends[segment] ?? 0;
    if (to > from) parts[segment]?.push({ kind: "free", offset: from, size: to - from });
  };
  for (let block = 0; block < blocks.segment.length; block++) {
    const segment = blocks.segment[block] ?? 0;
    const [offset, size] = [blocks.offset[block] ?? 0, blocks.size[block] ?? 0];
    gap(segment, offset);
    parts[segment]?.push({ kind: blocks.state[block] === 1 ? "waiting" : "allocated", offset, size, block });
    ends[segment] = Math.max(ends[segment] ?? 0, offset + size);
  }
  for (const [segment, { size }] of segments.entries()) gap(segment, size);
  const poolOf = ({ segment }: SegmentRow): string => segments[segment]?.pool ?? "";
  const sizeOf = ({ segment }: SegmentRow): number => segments[segment]?.size ?? 0;
  return parts
    .map((each, segment) => ({ segment, parts: each }))
    .sort((a, b) => poolOf(a).localeCompare(poolOf(b)) || sizeOf(b) - sizeOf(a) || a.segment - b.segment);
}

export interface StateFigures {
  readonly segments: number;
  readonly reserved: number;
  readonly allocated: number;
  /** Freed, but still in use by another stream. */
  readonly waiting: number;
  /** Segments that are wholly free. */
  readonly cached: number;
  /** Free parts of segments that have blocks in use. */
  readonly pieces: { readonly count: number; readonly bytes: number; readonly largest: number };
}

export function figuresOf(rows: readonly SegmentRow[]): StateFigures {
  const sums = { allocated: 0, waiting: 0, free: 0 };
  let cached = 0;
  const pieces = { count: 0, bytes: 0, largest: 0 };
  for (const { parts } of rows) {
    for (const { kind, size } of parts) sums[kind] += size;
    const free = parts.filter(({ kind }) => kind === "free");
    if (free.length === parts.length) {
      for (const { size } of free) cached += size;
      continue;
    }
    for (const { size } of free) {
      pieces.count++;
      pieces.bytes += size;
      pieces.largest = Math.max(pieces.largest, size);
    }
  }
  const { allocated, waiting, free } = sums;
  return { segments: rows.length, reserved: allocated + waiting + free, allocated, waiting, cached, pieces };
}
