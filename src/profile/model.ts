/**
 * The domain: what one run measured. Sizes are bytes (MiB = 2^20 bytes), times milliseconds unless the name says
 * otherwise. A figure that could not be taken is absent, never 0. docs/run-folder.md says what each one means.
 */
import type { NotebookOfRun } from "./notebook.ts";

export interface Figures {
  /** Times the line ran; only what was imported may not say. */
  readonly hits?: number;
  readonly net?: number;
  readonly self?: number;
  readonly maxIncrement?: number;
  readonly peak?: number;
  readonly usage?: number;
  readonly uncertain?: number;
  /** Of `peak`; runs of before it was taken do not have it. */
  readonly peakUncertain?: number;
}

/**
 * PyTorch's CUDA allocator by line: docs/run-folder.md, `cuda` rows. `peak` is known to have been held, `peakMost` at
 * most; what is the highest is absent where it is not known of the time that is looked at.
 */
export interface CudaFigures {
  readonly net: number;
  readonly self: number;
  readonly maxIncrement?: number;
  readonly peak?: number;
  readonly peakMost?: number;
  readonly reservedNet: number;
  readonly reservedSelf: number;
  readonly reservedPeak?: number;
  /** Of the device's used memory by mem_get_info. */
  readonly deviceNet?: number;
  readonly uncertain: number;
}

/** The board's memory in use (MemTotal − MemAvailable) by line, whoever took it. */
export interface SystemFigures {
  readonly net: number;
  readonly self: number;
  readonly nvmapNet?: number;
  readonly uncertain: number;
}

/** What the figure beside a line measures. */
export const METRICS = ["rss", "cuda", "system"] as const;
export type Metric = (typeof METRICS)[number];

/** How a process's CUDA memory was read; docs/run-folder.md, `cuda-on`. */
export interface CudaReading {
  readonly noticedBy: "counter" | "asking";
  readonly peaks: "bounds" | "exact";
}

/**
 * One statement's figures; `line` is 1-based and the statement's first line. `cuda` is absent where no process that ran
 * it was measured so, and 0 where one was and nothing moved on the line. `system` is absent where no reading was charged
 * to it: the board's memory is read now and then only.
 */
export interface LineRow extends Figures {
  readonly line: number;
  readonly cuda?: CudaFigures;
  readonly system?: SystemFigures;
}

export const PHASES = [
  "import-torch",
  "cuda",
  "to-device",
  "first-forward",
  "first-backward",
  "first-step",
  "steady",
] as const;
export type PhaseName = (typeof PHASES)[number];

/** The figures at the beginning of a part of a process's life; it lasts until the next one. */
export interface Phase {
  readonly pid: number;
  readonly phase: PhaseName;
  readonly t: number;
  readonly at?: { readonly path: string; readonly line: number };
  readonly rss?: number;
  readonly memAvailable?: number;
  readonly nvmap?: number;
  readonly allocated?: number;
  readonly reserved?: number;
  /** Total less free memory of the device by mem_get_info. */
  readonly deviceUsed?: number;
}

/** Memory at a moment: a process's RSS, what of it is of mapped files, and the GPU's buffers. */
export interface LoadMoment {
  readonly rss?: number;
  readonly mapped?: number;
  readonly nvmap?: number;
}

/** A large file that a process read while one line was long; docs/run-folder.md, `load`. */
export interface FileLoad {
  readonly pid: number;
  readonly at: { readonly path: string; readonly line: number };
  /** The file's path on the board: any text. */
  readonly path: string;
  readonly size: number;
  /** How far a descriptor of it was. */
  readonly position?: number;
  /** Of its mappings: their size, what of them was in memory, and what of that was no longer the file's. */
  readonly mapped?: number;
  readonly resident?: number;
  readonly copied?: number;
  /** For how long the line had run when it was looked at last. */
  readonly forMs: number;
  /** As the line was seen first, and when the process and the GPU's buffers held the most. */
  readonly before: LoadMoment;
  readonly most: LoadMoment;
}

export interface FunctionRow {
  readonly name: string;
  /** First line of the code object (the first decorator's line). */
  readonly key: number;
  readonly defLine: number;
  readonly lastLine: number;
  readonly calls: number;
  /** Wall-clock nanoseconds, inclusive of callees; like `net` and `peak` of the calls that ended, absent where none did. */
  readonly timeNs?: number;
  readonly net?: number;
  readonly peak?: number;
}

export interface FileProfile {
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly lines: readonly LineRow[];
  readonly functions: readonly FunctionRow[];
}

export type Exit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: string }
  | {
      readonly kind: "out-of-memory";
      readonly signal: string;
      readonly evidence?: string;
      /** The kernel's own lines on it. */
      readonly kernelLog?: readonly string[];
    }
  | { readonly kind: "cancelled"; readonly signal?: string }
  | { readonly kind: "not-started"; readonly message: string }
  /** `restarted`: the board was, during the run. */
  | { readonly kind: "lost"; readonly restarted?: true };

export type EngineName = "line" | "memory_profiler" | "massif";

export const IMPORT_FORMATS = [
  "memory_profiler",
  "mprof",
  "massif",
  "tracemalloc",
  "scalene",
  "memray",
  "tegrastats",
  "jetson-memprof",
] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** A run that another tool measured; docs/run-folder.md, `imported`. */
export interface ImportedFrom {
  readonly format: ImportFormat;
  /** The file's name, without its folder. */
  readonly file: string;
  /** What the figures by line measure, a noun phrase for people: `live blocks of Python's heap`. */
  readonly measures: string;
  /** What the timeline's `rss` measures, as `measures`, where it is something else than RSS. */
  readonly timeline?: string;
}

/** How valgrind's massif ran. docs/run-folder.md, "Engine massif". */
export interface MassifSettings {
  readonly valgrind?: string;
  /** Per cent of the heap below which massif merges call sites. */
  readonly threshold: number;
  /** Longest stack, in frames. */
  readonly depth: number;
  /** Counts mapped pages instead of heap blocks. */
  readonly pagesAsHeap: boolean;
  /** The script may use the GPU. */
  readonly gpu: boolean;
  /** Executions of a chosen line whose stacks are kept. */
  readonly maxHits: number;
  /** Lines whose heap is measured before and after. */
  readonly lines: readonly { readonly path: string; readonly line: number }[];
}

/** How native stacks were sampled beside the lines. docs/run-folder.md, `engine.heap`. */
export interface SamplingSettings {
  /** Bytes allocated between two samples, on average. */
  readonly mean: number;
  /** Absent until it is known. */
  readonly state?: "sampled" | "refused";
  /** Why they were not, a clause. */
  readonly reason?: string;
}

/** Where a thread was when last heard of, unless its process ended well. */
export interface LinePlaceOfThread {
  readonly pid: number;
  readonly thread: string;
  readonly path: string;
  readonly line: number;
  /** The project's lines that were open, outermost first, the last one is this line. */
  readonly stack?: readonly { readonly path: string; readonly line: number }[];
}

export interface RunInfo {
  readonly id: string;
  readonly state: "running" | "finished";
  readonly engine: {
    readonly name: EngineName;
    readonly exact: boolean;
    readonly accelerator: boolean;
    readonly massif?: MassifSettings;
    readonly heap?: SamplingSettings;
  };
  /** Absent where this profiler measured it itself; `engine` says what comes nearest else. */
  readonly imported?: ImportedFrom;
  readonly command: {
    readonly python: string;
    readonly script?: string;
    readonly module?: string;
    readonly args: readonly string[];
    /** The launcher that started the script, and its arguments. */
    readonly launch?: readonly string[];
  };
  /** Where the script is a notebook. */
  readonly notebook?: NotebookOfRun;
  /** ISO 8601. */
  readonly started?: string;
  readonly ended?: string;
  readonly elapsedMs?: number;
  readonly exit?: Exit;
  readonly lastLines: readonly LinePlaceOfThread[];
  /** Those variables of the script's environment that change how memory is used. */
  readonly environment: Readonly<Record<string, string>>;
  readonly board: BoardIdentity;
  readonly versions: Readonly<Record<string, string>>;
  readonly processes: readonly ProcessInfo[];
  readonly output?: { readonly stdout: OutputCount; readonly stderr: OutputCount };
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

export interface BoardIdentity {
  readonly model?: string;
  readonly l4t?: string;
  readonly kernel?: string;
  readonly machine?: string;
  readonly hostname?: string;
  readonly cpus?: number;
  readonly memTotal?: number;
  /** The system on chip by the device tree: `nvidia,tegra210`. */
  readonly compatible?: string;
  /** What is simulated, where the board's files are those of a folder that stands for a board. */
  readonly simulated?: string;
}

export interface ProcessInfo {
  readonly pid: number;
  readonly kind: "main" | "fork" | "spawn";
  readonly label: string;
  /** Of a program that a launcher started several times, which of them it is or was started by, from 0 on. */
  readonly rank?: number;
  /** How many there are, on all machines. */
  readonly ranks?: number;
  /** Of a rank's process, once the run has ended: the highest RSS that is known of it, bytes. */
  readonly rssPeak?: number;
  readonly implementation?:
    | "accelerator"
    | "pure"
    | "memory_profiler"
    | "massif-lines"
    | "massif-functions"
    | "massif-plain";
}

export interface OutputCount {
  readonly bytes: number;
  readonly kept: number;
}

/** Where the run happened; `simulated` is true for the loopback board. */
export interface RunOrigin {
  readonly target: string;
  /** The container there, or the image of it: `container:NAME`, `image:NAME:TAG`. Absent: on the board itself. */
  readonly inside?: string;
  readonly boardFolder: string;
  readonly simulated: boolean;
}

export interface Profile {
  readonly run: RunInfo;
  readonly origin?: RunOrigin;
  /** Merged over all processes. */
  readonly files: readonly FileProfile[];
  /** The same tables for each process that has more than one. */
  readonly byProcess: ReadonlyMap<number, readonly FileProfile[]>;
  /** What was measured by line; `rss` is always there. */
  readonly metrics: ReadonlySet<Metric>;
  /** By process; one that is not here has no CUDA figures. */
  readonly cuda: ReadonlyMap<number, CudaReading>;
  /** In the order in which they began. */
  readonly phases: readonly Phase[];
  /** Absent where none was seen. */
  readonly loads?: readonly FileLoad[];
  /** The table's end record was read. */
  readonly complete: boolean;
  /** Files and phases are of what came after this moment, ms since the run began; absent: of the whole run. */
  readonly since?: number;
}
