/** GPU memory by the calls that took it: gpu.<pid>.json of a run with native stacks, docs/run-folder.md. Pure. */
import * as v from "valibot";
import { type Phrase, phrase, say, t } from "../../words/t.ts";
import { amount, index, lineNumber, parseObject, present, relativePath } from "../files/jsonRecords.ts";
import { printable } from "../text/text.ts";

export interface GpuRow {
  readonly kind: GpuKind;
  /**
   * `call`: what was asked for. `free-memory`: by how much the GPU's free memory fell during the call, in which other
   * processes' changes are too.
   */
  readonly measured: "call" | "free-memory";
  /** File name of the library that asked. */
  readonly library?: string;
  /** It is the one of PyTorch's own allocator; undefined where nobody knows which it is. */
  readonly pytorch?: boolean;
  readonly path?: string;
  readonly line?: number;
  readonly function?: string;
  /** On which of several it lies; undefined where there is one, nobody knows, or it lies on none. */
  readonly gpu?: number;
  /** Held at the process's end. */
  readonly live?: number;
  /** Held at the moment of the process's peak. */
  readonly peak?: number;
  /** The most that was held at once. */
  readonly most?: number;
  readonly taken?: number;
  readonly count?: number;
}

export interface GpuProcess {
  readonly pid: number;
  readonly command: string;
  /** It came to its own end. */
  readonly finished: boolean;
  readonly calls?: number;
  /** Of what calls asked for. */
  readonly peak?: number;
  readonly live?: number;
  readonly rows: readonly GpuRow[];
  /** Sentences. */
  readonly notes: readonly string[];
}

/** What the helper writes, and one row for the rest. */
const MOST_ROWS = 2001;
/** Rows with the longest paths. */
export const MOST_GPU_BYTES = 16 * 1024 * 1024;

const KINDS = ["device", "async", "managed", "pinned", "array", "physical", "context", "module"] as const;
export type GpuKind = (typeof KINDS)[number];

const text = v.pipe(v.string(), v.maxLength(4096));
const bytes = v.nullish(amount);
const schema = v.object({
  schema: v.literal(1),
  pid: index,
  command: text,
  finished: v.boolean(),
  calls: v.nullish(index),
  peak: v.nullish(v.object({ bytes })),
  live: v.nullish(v.object({ bytes })),
  rows: v.pipe(
    v.array(
      v.object({
        kind: v.picklist(KINDS),
        measured: v.picklist(["call", "free-memory"]),
        library: v.nullish(text),
        pytorch: v.nullish(v.boolean()),
        // One that is outside the project is not opened.
        file: v.fallback(v.nullish(relativePath), null),
        line: v.nullish(lineNumber),
        function: v.nullish(text),
        gpu: v.nullish(index),
        live: bytes,
        peak: bytes,
        most: bytes,
        taken: bytes,
        count: v.nullish(index),
      }),
    ),
    v.maxLength(MOST_ROWS),
  ),
  notes: v.optional(v.pipe(v.array(v.tuple([text, text])), v.maxLength(1000)), () => []),
});

/** Undefined for what is no such record. */
export function readGpuProcess(json: string): GpuProcess | undefined {
  const parsed = v.safeParse(schema, parseObject(json));
  if (!parsed.success) return undefined;
  const { pid, command, finished, calls, peak, live, rows, notes } = parsed.output;
  return {
    pid,
    command,
    finished,
    rows: rows.map(({ file, pytorch, ...row }) =>
      present({ ...row, path: file, pytorch: isReserved(row) ? pytorch : false }),
    ),
    notes: notes.map(([, sentence]) => sentence),
    ...present({ calls, peak: peak?.bytes, live: live?.bytes }),
  };
}

/** Whether its kind is of what PyTorch's allocator may have reserved: a context that it was the first to need is not. */
const isReserved = ({ kind, measured }: Pick<GpuRow, "kind" | "measured">) => measured === "call" && kind !== "pinned";

/** Not so a process that only looked for CUDA. */
export const tookAny = ({ rows, peak }: GpuProcess): boolean => rows.length > 0 || peak !== 0;

/** A sum with an unknown part is unknown. */
export interface GpuSums {
  readonly live?: number;
  readonly peak?: number;
  /** Of several rows at most so much: each may have had its own at another moment. */
  readonly most?: number;
  readonly rows: number;
}

export function sumOf(rows: readonly GpuRow[]): GpuSums {
  const sum = (of: (row: GpuRow) => number | undefined): number | undefined =>
    rows.reduce<number | undefined>((all, row) => {
      const one = of(row);
      return all === undefined || one === undefined ? undefined : all + one;
    }, 0);
  return {
    rows: rows.length,
    ...present({ live: sum(({ live }) => live), peak: sum(({ peak }) => peak), most: sum(({ most }) => most) }),
  };
}

/** What went past PyTorch's allocator in one process: of a line, or of all. */
export interface GpuShare {
  readonly process: GpuProcess;
  /** Exact; undefined where there is none. */
  readonly asked?: GpuSums;
  /** CUDA's own, by the GPU's free memory; undefined where there is none. */
  readonly fallen?: GpuSums;
  /** Of which nobody knows whether it went past PyTorch, so in neither; undefined where there is none. */
  readonly unsure?: GpuSums;
  /** Who asked for it, the largest at the peak first. */
  readonly askers: readonly Asker[];
}

export interface Asker extends GpuSums {
  readonly name: string;
  readonly measured: GpuRow["measured"];
}

/** The processes in which the line took GPU memory past PyTorch, the one where it held most at its peak first. */
export function gpuOfLine(processes: readonly GpuProcess[], path: string, line: number): GpuShare[] {
  return processes
    .flatMap((process) => pastPytorch(process, (row) => row.path === path && row.line === line) ?? [])
    .sort((a, b) => weight(b) - weight(a));
}

/** Undefined where no such row went past PyTorch, or may have. */
export function pastPytorch(process: GpuProcess, counts: (row: GpuRow) => boolean = () => true): GpuShare | undefined {
  const rows = process.rows.filter((row) => row.pytorch !== true && counts(row));
  if (rows.length === 0) return undefined;
  const fallen = rows.filter(({ measured }) => measured === "free-memory");
  const asked = rows.filter(({ measured, pytorch }) => measured === "call" && pytorch === false);
  const unsure = rows.filter(({ pytorch }) => pytorch === undefined);
  return {
    process,
    ...(asked.length > 0 && { asked: sumOf(asked) }),
    ...(fallen.length > 0 && { fallen: sumOf(fallen) }),
    ...(unsure.length > 0 && { unsure: sumOf(unsure) }),
    askers: askersOf(rows),
  };
}

const weight = ({ asked, fallen }: GpuShare): number => (asked?.peak ?? 0) + (fallen?.peak ?? 0);

/** Kinds that say more of the memory than who asked for it. */
const OF_KIND: Partial<Readonly<Record<GpuKind, Phrase>>> = {
  pinned: phrase("Pinned memory"),
  context: phrase("CUDA context"),
  module: phrase("CUDA modules"),
};

/** By the kind, where that says what it is, else by the library; of several GPUs with the one. */
export function askerOf({ kind, library, gpu }: Pick<GpuRow, "kind" | "library" | "gpu">): string {
  const known = OF_KIND[kind];
  if (known !== undefined) return onGpu(say(known), gpu);
  return onGpu(library === undefined ? t("library unknown") : familyOf(printable(library)), gpu);
}

/** As it is, where there is but one. */
export const onGpu = (name: string, gpu: number | undefined): string =>
  gpu === undefined ? name : t("{0}, GPU {1}", name, gpu);

/** Who asked for how much in one process, for what adds it up elsewhere. */
export interface GpuSummary {
  readonly pid: number;
  readonly parts: readonly GpuPart[];
}

export interface GpuPart {
  readonly name: string;
  /** Undefined where nobody knows. */
  readonly pytorch?: boolean;
  /** In the CPU's memory, for the GPU. */
  readonly pinned: boolean;
  readonly live?: number;
  readonly peak?: number;
}

export function summaryOf({ pid, rows }: GpuProcess): GpuSummary {
  const parts = [true, false, undefined].flatMap((pytorch) =>
    [false, true].flatMap((pinned) =>
      askersOf(rows.filter((row) => row.pytorch === pytorch && (row.kind === "pinned") === pinned)).map(
        ({ name, live, peak }): GpuPart => ({ name, pinned, ...present({ pytorch, live, peak }) }),
      ),
    ),
  );
  return { pid, parts };
}

function askersOf(rows: readonly GpuRow[]): Asker[] {
  const names = new Map<string, [GpuRow, ...GpuRow[]]>();
  for (const row of rows) {
    const name = askerOf(row);
    const known = names.get(name);
    if (known === undefined) names.set(name, [row]);
    else known.push(row);
  }
  return [...names]
    .map(([name, of]) => ({ name, measured: of[0].measured, ...sumOf(of) }))
    .sort((a, b) => (b.peak ?? 0) - (a.peak ?? 0) || (a.name < b.name ? -1 : 1));
}

/** Libraries that come as several files, by the name that people know. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^libcudnn/, "cuDNN"],
  [/^libcublas/, "cuBLAS"],
  [/^lib(?:nvinfer|nvonnxparser)/, "TensorRT"],
  [/^libcufft/, "cuFFT"],
  [/^libcusparse/, "cuSPARSE"],
  [/^libcusolver/, "cuSOLVER"],
  [/^libcurand/, "cuRAND"],
  [/^libnccl/, "NCCL"],
  [/^lib(?:torch|c10)/, "PyTorch"],
];

/** `cuDNN` of `libcudnn_cnn_infer.so.8`; others by the file's name. */
function familyOf(library: string): string {
  return FAMILIES.find(([pattern]) => pattern.test(library))?.[1] ?? library;
}
