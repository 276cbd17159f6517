/** The file's own sums for a device, when the snapshot was taken. Bytes. */
import { defined } from "../../profile/defined.ts";
import type { Segment, Snapshot } from "./model.ts";

export interface Totals {
  readonly segments: number;
  /** What PyTorch took from CUDA: all segments. */
  readonly reserved: number;
  /** Blocks that tensors hold. */
  readonly allocated: number;
  /** `allocated`, and what was freed but is still in use by another stream. */
  readonly active: number;
  /** What the program asked for, of `active`; absent where a block does not say (before torch 2.1). */
  readonly requested?: number;
  /** Free parts of segments that have blocks in use: this is fragmentation. */
  readonly inactiveSplit: number;
  /** Segments that are wholly free. */
  readonly cached: number;
  readonly largestFree: number;
}

/** Numbers of the devices that have segments or events, ascending. */
export function devicesOf({ segments, events }: Snapshot): number[] {
  const numbers = new Set([...segments, ...events].map(({ device }) => device));
  return [...numbers].sort((a, b) => a - b);
}

export function segmentsOf(snapshot: Snapshot, device: number): readonly Segment[] {
  return snapshot.segments.filter((segment) => segment.device === device);
}

export function totalsOf(snapshot: Snapshot, device: number): Totals {
  const segments = segmentsOf(snapshot, device);
  let requested: number | undefined = 0;
  let largestFree = 0;
  const sums = { reserved: 0, allocated: 0, active: 0, inactiveSplit: 0, cached: 0 };
  for (const { totalSize, allocatedSize, activeSize, blocks } of segments) {
    sums.reserved += totalSize;
    sums.allocated += allocatedSize;
    sums.active += activeSize;
    if (activeSize === 0) sums.cached += totalSize;
    else sums.inactiveSplit += totalSize - activeSize;
    for (const block of blocks) {
      if (block.state === "inactive") largestFree = Math.max(largestFree, block.size);
      else if (block.requested === undefined) requested = undefined;
      else if (requested !== undefined) requested += block.requested;
    }
  }
  return { segments: segments.length, ...sums, ...defined({ requested }), largestFree };
}
