/**
 * A snapshot of PyTorch's CUDA caching allocator (torch.cuda.memory._snapshot, torch 1.13 to 2.x). Sizes are bytes,
 * addresses BigInt. Columns rather than objects: a file of 1 GB has ten million events.
 */
import type { MemoryFrame } from "./frames.ts";

export type BlockState = "active_allocated" | "active_awaiting_free" | "inactive";

export interface Block {
  readonly address: bigint;
  readonly size: number;
  /** What the program asked for; absent where the file does not say. */
  readonly requested?: number;
  readonly state: BlockState;
  /** Place in `stacks`, -1: none recorded. */
  readonly stack: number;
}

export interface Segment {
  readonly device: number;
  readonly address: bigint;
  readonly totalSize: number;
  readonly allocatedSize: number;
  readonly activeSize: number;
  readonly stream: bigint;
  readonly type: "large" | "small";
  readonly expandable: boolean;
  /** Of a private pool, as CUDA graphs have; absent for the default pool. */
  readonly pool?: string;
  readonly blocks: readonly Block[];
}

export const ACTIONS = [
  "alloc",
  "free_requested",
  "free_completed",
  "segment_alloc",
  "segment_free",
  "segment_map",
  "segment_unmap",
  "oom",
  "snapshot",
] as const;
export type Action = (typeof ACTIONS)[number];

/** A device's events in the order in which they happened; all columns have the same length. */
export interface EventTable {
  readonly device: number;
  /** Place in ACTIONS; 255: one that is not known. */
  readonly action: Uint8Array;
  readonly address: BigUint64Array;
  readonly size: Float64Array;
  /** Place in `stacks`, -1: none. */
  readonly stack: Int32Array;
  /** Microseconds of the epoch; NaN where the file has none (before torch 2.2). */
  readonly timeUs: Float64Array;
  /** What the device had free, by the row of an `oom` event that says it. */
  readonly deviceFree: ReadonlyMap<number, number>;
}

/** Where a part of the program begins or ends, as torch.profiler.record_function names it. */
export interface Annotation {
  readonly name: string;
  readonly stage: "START" | "END";
  /** The thread's device then. */
  readonly device: number;
  /** As of events. */
  readonly timeUs: number;
}

export interface Snapshot {
  readonly segments: readonly Segment[];
  readonly events: readonly EventTable[];
  /** Innermost frame first, as the file has them; equal stacks are one. */
  readonly stacks: readonly (readonly number[])[];
  /** What `stacks` names. */
  readonly frames: readonly MemoryFrame[];
  /** In the file's order, which is that of time. */
  readonly annotations: readonly Annotation[];
  /** Settings of the allocator that the file says, as text. */
  readonly settings: Readonly<Record<string, string>>;
  /** What could not be read, whole sentences. */
  readonly problems: readonly string[];
}
