/**
 * What a massif.out file holds, and what is made of it. Sizes are bytes (MiB = 2^20 bytes). A figure that is not known
 * is absent, never 0. Nodes of trees lie in parallel arrays, in pre-order: a parent comes before its children.
 */

export interface MassifFile {
  /** What follows `desc:`: the options massif ran with. */
  readonly description: string;
  /** What follows `cmd:`; nothing in it is escaped, so it may hold line ends. */
  readonly command: string;
  /** Instructions, milliseconds, or bytes allocated. */
  readonly timeUnit: "i" | "ms" | "B";
  /** In the file's order. A snapshot is known by its place here: the numbers in the file may repeat. */
  readonly snapshots: readonly Snapshot[];
  /** What could not be read; the rest is here all the same. */
  readonly problems: readonly Problem[];
}

export interface Snapshot {
  /** As the file numbers it. */
  readonly number: number;
  /** In `timeUnit`. */
  readonly time: number;
  readonly heap: number;
  /** Massif's estimate of the allocator's own overhead. */
  readonly extra: number;
  /** Measured only with `--stacks=yes`; 0 without. */
  readonly stacks: number;
  readonly tree:
    | { readonly kind: "none" }
    /** `nodes` of the CallTree; its lines lie in the file from byte `start` up to `end`. */
    | { readonly kind: "detailed" | "peak"; readonly nodes: number; readonly start: number; readonly end: number };
}

export interface Problem {
  /** 1-based line of the file. */
  readonly line: number;
  readonly message: string;
}

/**
 * Massif's own tree: node 0 stands for all allocations, children are the callers of their parent and add up to it.
 * Where the file is damaged, a node with MISSING_LABEL (src/massif/reader/treeReader.ts) stands for the bytes it lacks.
 */
export interface CallTree {
  /** Distinct labels as massif wrote them, without `nK: BYTES `. */
  readonly labels: readonly string[];
  /** Index into `labels`. */
  readonly label: Uint32Array;
  /** Index of the parent node; node 0 is its own. */
  readonly parent: Uint32Array;
  readonly bytes: Float64Array;
}

/** A line of Python code; `path` is relative to the project with `/`, or absolute. */
export interface PythonPlace {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly function: string;
  /** `function`: only the function is known and `line` is that of its definition; `profiler`: the helper's own code. */
  readonly kind: "line" | "function" | "profiler";
}

/** What the run recorded beside massif.out: docs/run-folder.md, "Engine massif". */
export interface FrameNames {
  readonly level: "lines" | "functions" | "none";
  /** By the name in the stacks, such as `py_00042`. */
  readonly python: ReadonlyMap<string, PythonPlace>;
  /** Files mapped as code, by ascending start address. */
  readonly mapped: readonly { readonly start: bigint; readonly end: bigint; readonly path: string }[];
}

/** One frame of a stack, as people see it. */
export type Frame =
  | ({ readonly kind: "python" } & Pick<PythonPlace, "path" | "line" | "function"> & {
        /** False where only the function is known. */
        readonly exact: boolean;
      })
  | {
      readonly kind: "native";
      /** Absent where valgrind printed `???`. */
      readonly function?: string;
      /** `file.c:12`, where there is debug information. */
      readonly source?: string;
      /** Path of the library or program, where it is known. */
      readonly library?: string;
      /** Part of the Python interpreter's own call mechanism: folded away by default. */
      readonly interpreter: boolean;
    }
  /** Bytes whose stacks massif did not keep; `places` call sites, each below `percent` of the heap. */
  | { readonly kind: "below-threshold"; readonly places: number; readonly percent?: number }
  /** All there is. */
  | { readonly kind: "all" };

/** How uncertain the bytes of some nodes are, where these were sampled. */
export interface Sampled {
  /** The square of each one's standard error, 0 of what was counted. */
  readonly variance: Float64Array;
  /** How many bytes were allocated between two samples, on average. */
  readonly mean: number;
}

/** Stacks merged by their frames. Node 0 is `all`; the order of frames below it is the caller's choice. */
export interface FrameTree {
  readonly frames: readonly Frame[];
  /** Index into `frames`. */
  readonly frame: Uint32Array;
  /** Index of the parent node; node 0 is its own. */
  readonly parent: Uint32Array;
  /** Bytes of stacks that end here. Of a difference: after minus before, may be negative. */
  readonly self: Float64Array;
  /** `self` and that of all below. */
  readonly total: Float64Array;
  /** Of `self`. */
  readonly sampled?: Sampled;
}

/** Two snapshots in one tree: `before` and `after` are totals of the same nodes; `tree` holds after minus before. */
export interface DifferenceTree {
  readonly tree: FrameTree;
  readonly before: Float64Array;
  readonly after: Float64Array;
}

/** Which end of the stacks is next to the root: where the program began, or where the memory was allocated. */
export type Direction = "callers-first" | "allocators-first";

/** What massif.lines.<pid>.jsonl holds. */
export interface MeasuredLines {
  readonly lines: readonly MeasuredLine[];
}

/** Executions of a chosen line, measured before and after. */
export interface MeasuredLine {
  readonly path: string;
  readonly line: number;
  /** Empty where no execution was measured. */
  readonly function: string;
  /** At least so many where the process died before it wrote its sums. */
  readonly hits: number;
  /** Of the hits, how many were measured. */
  readonly measured: number;
  /** Change of the heap over the measured hits. */
  readonly net: number;
  /** How far that may be off: what the measuring itself takes or, of a sampled heap, chance in 19 of 20 cases. */
  readonly noise?: number;
  /** The first 10,000 of the measured hits. */
  readonly executions: readonly MeasuredExecution[];
}

export interface MeasuredExecution {
  readonly hit: number;
  readonly thread: string;
  /** Heap before and after. */
  readonly before: number;
  readonly after: number;
  /** As of MeasuredLine. */
  readonly noise?: number;
  /** Number of the detailed snapshots `massif-lines/<pid>/<tree>.before` and `.after`, where they were kept. */
  readonly tree?: number;
}
