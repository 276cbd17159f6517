/** What a tool would call "used" at one moment, worked out from the same sample as the ledger. */
export interface ToolReading {
  readonly id:
    | "htop"
    | "htop-3.1"
    | "free"
    | "smem-w"
    | "smem-pss"
    | "smem-uss"
    | "jtop"
    | "tegrastats"
    | "memory_profiler"
    | "massif"
    | "torch.cuda"
    | "mem_get_info";
  /** The tool and the figure of it that is meant: `htop, Mem bar`. */
  readonly label: string;
  readonly bytes?: number;
  /** Present where there are no bytes: why not, a sentence. */
  readonly missing?: string;
  /** `computed` from the sample by the tool's own formula, or `reported` by the tool itself. */
  readonly origin: "computed" | "reported";
  /** `MemTotal − MemFree − Buffers − Cached`; plain text. */
  readonly formula: string;
  /** What it counts and leaves out, so that a reader sees why it differs: one sentence. */
  readonly reason: string;
}
