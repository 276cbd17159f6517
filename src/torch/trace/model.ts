/**
 * Memory events of a torch.profiler trace (Chrome JSON with `profile_memory=True`; TensorBoard's `*.pt.trace.json[.gz]`)
 * or of torch.profiler's memory timeline export. Sizes are bytes, times milliseconds since the trace's first event.
 */
export interface TraceDevice {
  /** `CPU`, `CUDA 0`, … */
  readonly name: string;
  /** All columns have the same length and are ordered by time. */
  readonly t: Float64Array;
  /** The change of this event; negative frees. */
  readonly bytes: Float64Array;
  /** After the event, as the trace says. NaN: not said. */
  readonly allocated: Float64Array;
  readonly reserved: Float64Array;
  /** Innermost operator running then, place in `names`; -1: none. */
  readonly operator: Int32Array;
}

export interface MemoryTrace {
  readonly title: string;
  readonly devices: readonly TraceDevice[];
  readonly names: readonly string[];
  readonly durationMs: number;
  /** What could not be read, whole sentences. */
  readonly problems: readonly string[];
}
