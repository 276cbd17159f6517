/** A massif run for tests: the project of src/profile/testing.ts, one process, one measured line. */
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { jsonLines, LINES, MIB, makeProject, ORIGIN, runFiles, runJson } from "../../profile/testing.ts";
import { createHandlers, type Handlers } from "../handlers.ts";
import { createRunStore } from "../runs/runStore.ts";

export const PID = 10;

/** One snapshot of a massif.out file; `tree` is its lines, empty for none. */
function snapshot(number: number, heap: number, kind: "empty" | "detailed" | "peak", tree: readonly string[]): string {
  return [
    "#-----------",
    `snapshot=${number}`,
    "#-----------",
    `time=${number * 1000}`,
    `mem_heap_B=${heap}`,
    "mem_heap_extra_B=16",
    "mem_stacks_B=0",
    `heap_tree=${kind}`,
    ...tree,
    "",
  ].join("\n");
}

const ROOT = "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.";
const pad = (address: string, number: number) => `${address}: py_0000${number} (in /tmp/pads.so)`;

const PEAK_TREE = [
  `n3: ${100 * MIB} ${ROOT}`,
  ` n1: ${64 * MIB} 0x1000: PyByteArray_Resize (bytearrayobject.c:250)`,
  `  n1: ${64 * MIB} 0x1100: _PyEval_EvalFrameDefault (ceval.c:3469)`,
  `   n1: ${64 * MIB} ${pad("0x2001", 1)}`,
  `    n1: ${64 * MIB} 0x1100: _PyEval_EvalFrameDefault (ceval.c:3469)`,
  `     n1: ${64 * MIB} ${pad("0x2002", 2)}`,
  `      n0: ${64 * MIB} ${pad("0x2003", 3)}`,
  ` n1: ${20 * MIB} 0x1200: at::empty<float>(c10::ArrayRef<long>) (in /usr/lib/libtorch_cpu.so)`,
  `  n1: ${20 * MIB} ${pad("0x2004", 4)}`,
  `   n0: ${20 * MIB} ${pad("0x2003", 3)}`,
  ` n0: ${16 * MIB} in 12 places, all below massif's threshold (0.10%)`,
];

const HEADER = "desc: --threshold=0.1 --depth=100\ncmd: python3 train.py\ntime_unit: ms\n";

/** At the peak 100 MiB: 64 below model.py:2, called from train.py:4, 20 below train.py:7; 16 without a place. */
export const MASSIF_OUT = [
  HEADER,
  snapshot(0, 0, "empty", []),
  snapshot(1, 100 * MIB, "peak", PEAK_TREE),
  snapshot(2, 30 * MIB, "detailed", [`n1: ${30 * MIB} ${ROOT}`, ` n0: ${30 * MIB} 0x1200: malloc (malloc.c:1)`]),
].join("");

export function aroundLine(bytes: number): string {
  return HEADER + snapshot(0, bytes, "detailed", [`n1: ${bytes} ${ROOT}`, ` n0: ${bytes} ${pad("0x2004", 4)}`]);
}

const frame = (number: number, path: string, line: number, name: string, kind: "line" | "function" = "line") => {
  return { record: "frame", name: `py_0000${number}`, path, line, function: name, kind };
};

export const FRAMES: readonly object[] = [
  { schema: 1, record: "header", pid: PID, frames: "lines" },
  frame(1, "model.py", 2, "build"),
  frame(2, "train.py", 4, "main"),
  frame(3, "train.py", 10, "<module>"),
  frame(4, "train.py", 7, "main"),
];

const hit = (number: number, tree: number | null) => {
  const heap = { before: number * 8 * MIB, after: number * 8 * MIB + 4 * MIB };
  return {
    record: "hit",
    path: "train.py",
    line: 7,
    function: "main",
    hit: number,
    thread: "MainThread",
    ...heap,
    tree,
  };
};

export const MEASURED: readonly object[] = [
  { schema: 1, record: "header", pid: PID, noise_bytes: 200 },
  hit(1, 1),
  hit(2, null),
  { record: "line", path: "train.py", line: 7, hits: 3, measured: 2, net: 8 * MIB },
];

export function massifRunJson(changes: object = {}): object {
  return runJson({
    engine: {
      name: "massif",
      exact: false,
      peak: false,
      accelerator: false,
      massif: {
        valgrind: "3.19.0",
        threshold: 0.1,
        depth: 100,
        pages_as_heap: false,
        gpu: false,
        max_hits: 3,
        lines: [
          ["train.py", 7],
          ["train.py", 8],
        ],
      },
    },
    processes: [{ pid: PID, ppid: 9, kind: "main", label: "main", implementation: "massif-lines" }],
    warnings: [],
    ...changes,
  });
}

/** The files of a massif run's folder by their names in it. */
export function massifFiles(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    ...runFiles(),
    "run.json": JSON.stringify(massifRunJson()),
    "origin.json": JSON.stringify({ ...ORIGIN, target: "loopback", simulated: true }),
    // Under massif the line table has hits only.
    "lines.jsonl": jsonLines(
      LINES.filter((record) => !("rows" in record)).concat(
        { record: "rows", pid: PID, rows: [[0, 4, 1, null, null, null, null, null, null]] },
        { record: "rows", pid: PID, rows: [[1, 2, 1, null, null, null, null, null, null]] },
      ),
    ),
    [`massif.out.${PID}`]: MASSIF_OUT,
    [`massif.frames.${PID}.jsonl`]: jsonLines(FRAMES),
    [`massif.lines.${PID}.jsonl`]: jsonLines(MEASURED),
    [`massif-lines/${PID}/1.before`]: aroundLine(8 * MIB),
    [`massif-lines/${PID}/1.after`]: aroundLine(12 * MIB),
    ...changes,
  };
}

/** A gpu.out made by hand: 80 MiB of cuDNN's below train.py:7 at the peak, 128 of PyTorch's below model.py:2. */
export const GPU_OUT = [
  "desc: --jetson-memprof-gpu\ncmd: python3 train.py\ntime_unit: ms\n",
  snapshot(0, 208 * MIB, "peak", [
    `n2: ${208 * MIB} (GPU memory allocation calls) cudaMalloc, cuMemAlloc, etc.`,
    ` n1: ${128 * MIB} 0x3000: cudaMalloc (in /usr/lib/libcudart.so.10.2)`,
    `  n1: ${128 * MIB} 0x3100: c10::cuda::raw (in /usr/lib/libc10_cuda.so)`,
    `   n0: ${128 * MIB} ${pad("0x2001", 1)}`,
    ` n1: ${80 * MIB} 0x3200: cuMemAlloc_v2 (in /usr/lib/libcuda.so.1)`,
    `  n1: ${80 * MIB} 0x3300: cudnnFind (in /usr/lib/libcudnn_cnn_infer.so.8)`,
    `   n0: ${80 * MIB} ${pad("0x2004", 4)}`,
  ]),
]
  .join("")
  .replace("mem_heap_extra_B=16", "mem_heap_extra_B=0");

/** The same of a process that took nothing of it. */
export const LOOKED_FOR_CUDA =
  "desc: --jetson-memprof-gpu calls=0\ncmd: python3 train.py\ntime_unit: ms\n" +
  snapshot(0, 0, "detailed", ["n0: 0 (GPU memory allocation calls) cudaMalloc, cuMemAlloc, etc."]);

/** The mean of the run below. */
export const MEAN = 512 * 1024;

/** The files of a run whose lines were measured with native stacks beside them. */
export function sampledFiles(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
  const engine = { name: "line", exact: false, peak: true, accelerator: true, heap: { mean: MEAN, state: "sampled" } };
  const processes = [{ pid: PID, ppid: 9, kind: "main", label: "main", implementation: "accelerator" }];
  return {
    ...runFiles(),
    "run.json": JSON.stringify(runJson({ engine, processes, warnings: [] })),
    [`massif.out.${PID}`]: MASSIF_OUT.replace(
      "--threshold=0.1 --depth=100",
      `--jetson-memprof-heap mean=${MEAN} samples=200`,
    ),
    [`massif.frames.${PID}.jsonl`]: jsonLines(FRAMES),
    ...changes,
  };
}

export interface Server {
  readonly project: string;
  readonly run: string;
  readonly handlers: Handlers;
  readonly uri: (name: string) => string;
  readonly close: () => void;
}

/** A project with one run of these files, and a server for it that knows of no open document. */
export function openServer(files: Readonly<Record<string, string>>): Server {
  const { project, run, remove } = makeProject(files);
  const store = createRunStore({ onChange: () => {}, debounceMs: 10, pollMs: 50 });
  return {
    project,
    run,
    handlers: createHandlers({ store, openDocument: () => undefined, platform: process.platform }),
    uri: (name) => pathToFileURL(path.join(project, name)).href,
    close() {
      store.dispose();
      remove();
    },
  };
}
