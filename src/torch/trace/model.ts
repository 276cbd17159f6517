/**
 * Memory events of a torch.profiler trace (Chrome JSON with `profile_memory=True`; TensorBoard's `*.pt.trace.json[.gz]`).
 * Sizes are bytes, times milliseconds since the trace's first memory event.
 */
export interface TraceDevice {
  /** `CPU`, `CUDA 0`, … */
  readonly name: string;
  /** All columns have the same length and are ordered by time. */
  readonly t: Float64Array;
  /** The change of this event; negative frees. */
  readonly bytes: Float64Array;
  /** What was allocated or freed; NaN where the trace does not say. */
  readonly address: Float64Array;
  /** After the event, as the trace says; where it does not, the sum of the changes up to here. */
  readonly allocated: Float64Array;
  /** After the event, as the trace says. NaN: not said. */
  readonly reserved: Float64Array;
  /** Operators that ran then on the event's thread, a place in `calls`; -1: none. */
  readonly call: Int32Array;
  /** `allocated` is the trace's own; else it leaves out what was allocated before the trace began. */
  readonly totals: "trace" | "summed";
}

/** Operators inside of each other, as a tree: each call has its innermost operator and the call around it (-1: none). */
export interface TraceCalls {
  readonly name: readonly string[];
  readonly parent: readonly number[];
}

export interface MemoryTrace {
  readonly devices: readonly TraceDevice[];
  readonly calls: TraceCalls;
  readonly durationMs: number;
  /** What could not be read, whole sentences. */
  readonly problems: readonly string[];
}
