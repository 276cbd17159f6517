/** A small run under massif: two processes, five snapshots, one measured line. Sizes were chosen to be told apart. */
import type { MassifDocument, TreeRef, WireTree } from "../../../src/protocol/massif/massif.ts";
import type { Scene } from "./massifPage.ts";

export const MIB = 1024 * 1024;

/** Frames from the allocator to where the program began; bytes. */
export type Stack = readonly [bytes: number, ...frames: readonly string[]];

const ROOT = "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.";
const EVAL = "_PyEval_EvalFrameDefault";

/** Lines of Python by their name in the stacks. */
const PYTHON: Readonly<Record<string, { path: string; line: number; name: string; kind: "line" | "function" }>> = {
  py_00001: { path: "train.py", line: 40, name: "<module>", kind: "line" },
  py_00002: { path: "train.py", line: 33, name: "train", kind: "line" },
  py_00003: { path: "models/lenet.py", line: 12, name: "forward", kind: "line" },
  py_00004: {
    path: "/usr/lib/python3/dist-packages/torch/nn/functional.py",
    line: 400,
    name: "conv2d",
    kind: "function",
  },
};
const LIBRARIES: Readonly<Record<string, string>> = {
  [EVAL]: "/usr/lib/libpython3.6m.so.1.0",
  _start: "/usr/bin/python3.6",
  "at::empty<float>(c10::ArrayRef<long>)": "/usr/lib/libtorch_cpu.so",
  PyArray_NewFromDescr: "/usr/lib/numpy/core/_multiarray_umath.so",
  "???": "/usr/lib/libcudart.so.10.2.300",
};

/** Massif's tree of these stacks, as the editor sends it. */
export function wireOf(stacks: readonly Stack[]): WireTree {
  const labels: string[] = [ROOT];
  const nodes = [{ label: 0, parent: 0, bytes: 0 }];
  const known = new Map<string, number>();
  for (const [bytes, ...frames] of stacks) {
    let at = 0;
    const add = (node: number): void => {
      const entry = nodes[node];
      if (entry) nodes[node] = { ...entry, bytes: entry.bytes + bytes };
    };
    add(0);
    for (const frame of frames) {
      const key = `${at} ${frame}`;
      const label = labels.includes(frame) ? labels.indexOf(frame) : labels.push(frame) - 1;
      const node = known.get(key) ?? nodes.push({ label, parent: at, bytes: 0 }) - 1;
      known.set(key, node);
      add(node);
      at = node;
    }
  }
  const base64 = (array: Uint32Array | Float64Array): string => Buffer.from(array.buffer).toString("base64");
  return {
    labels: labels.map((label, i) => (i === 0 || label.startsWith("in ") ? label : asMassif(label, i))),
    label: base64(Uint32Array.from(nodes, ({ label }) => label)),
    parent: base64(Uint32Array.from(nodes, ({ parent }) => parent)),
    bytes: base64(Float64Array.from(nodes, ({ bytes }) => bytes)),
    python: labels.flatMap((frame, label) => {
      const place = PYTHON[frame];
      if (!place) return [];
      const { path, line, name, kind } = place;
      return [{ label, place: { path, line }, function: name, kind }];
    }),
    library: labels.flatMap((frame, label) => {
      const path = LIBRARIES[frame];
      return path === undefined ? [] : [{ label, path }];
    }),
  };
}

/** `0x1010: malloc (in /usr/lib/libc.so.6)`, as far as it is known. */
function asMassif(frame: string, i: number): string {
  const library = LIBRARIES[frame] ?? (frame.startsWith("py_") ? "/tmp/pads.so" : undefined);
  return `0x${(0x1000 + i).toString(16).toUpperCase()}: ${frame}${library === undefined ? "" : ` (in ${library})`}`;
}

const START = [EVAL, "py_00001", EVAL, "_start"] as const;
const TORCH = "at::empty<float>(c10::ArrayRef<long>)";

/** What lives after `steps` steps of training. */
function stacksAfter(steps: number): Stack[] {
  return [
    [(10 + 20 * steps) * MIB, TORCH, EVAL, "py_00004", EVAL, "py_00003", EVAL, "py_00002", ...START],
    [(5 + steps) * MIB, "PyArray_NewFromDescr", EVAL, "py_00002", ...START],
    [(8 - steps) * MIB, "???", ...START],
    [3 * MIB, "in 12 places, all below massif's threshold (0.10%)"],
  ];
}

const total = (steps: number): number => (26 + 20 * steps) * MIB;

const snapshot = (number: number, steps: number, tree: "none" | "detailed" | "peak") => ({
  number,
  time: number * 1_000,
  heap: total(steps),
  extra: MIB,
  stacks: 0,
  tree,
  nodes: tree === "none" ? 0 : 30,
});

const SNAPSHOT_STEPS = [0, 1, 2, 4, 3];

export const DOCUMENT: MassifDocument = {
  title: "train.py",
  board: "simulated board",
  files: [
    {
      name: "main",
      command: "python3 train.py --epochs 2",
      description: "--depth=100 --threshold=0.1",
      timeUnit: "ms",
      pagesAsHeap: false,
      frames: "lines",
      snapshots: [
        snapshot(0, 0, "none"),
        snapshot(1, 1, "detailed"),
        snapshot(2, 2, "none"),
        snapshot(3, 4, "peak"),
        snapshot(4, 3, "detailed"),
      ],
      problems: [{ line: 812, message: "The last snapshot is cut off; what was read of it is shown." }],
    },
    {
      name: "worker 1",
      command: "python3 train.py --epochs 2",
      description: "--depth=100 --threshold=0.1",
      timeUnit: "ms",
      pagesAsHeap: false,
      frames: "lines",
      snapshots: [snapshot(0, 0, "none"), snapshot(1, 0, "detailed")],
      problems: [],
    },
  ],
  lines: [
    {
      file: 0,
      place: { path: "train.py", line: 33 },
      function: "train",
      hits: 150,
      measured: 2,
      net: 21 * MIB,
      executions: [
        { hit: 1, before: total(0), after: total(1), noise: 210, stacks: true },
        { hit: 2, before: total(1), after: total(1) + 1024, noise: 210, stacks: false },
      ],
    },
  ],
  notes: ["Massif counts the heap only: memory on the GPU is not in these figures."],
};

/** Trees by what was asked for; what the document does not have is refused in words. */
export const SCENE: Scene = {
  document: DOCUMENT,
  async tree(ref: TreeRef) {
    if (ref.kind === "line") return wireOf(stacksAfter(ref.side === "before" ? 0 : 1));
    const steps = ref.file === 0 ? SNAPSHOT_STEPS[ref.snapshot] : 0;
    if (steps === undefined) throw new Error("The snapshot is gone.");
    return wireOf(stacksAfter(steps));
  },
};

const [MAIN, WORKER] = DOCUMENT.files;
if (MAIN === undefined || WORKER === undefined) throw new Error("The scene has two files.");

/** Two runs: the earlier held what the worker of SCENE holds, the later what its main process does. */
export const TWO_RUNS: Scene = {
  document: {
    ...DOCUMENT,
    title: "Two runs of train.py",
    files: [
      { ...WORKER, name: "before: main" },
      { ...MAIN, name: "after: main", problems: [] },
    ],
    lines: [],
    pairs: [{ name: "main", before: { file: 0, snapshot: 1 }, after: { file: 1, snapshot: 3 } }],
  },
  tree: (ref: TreeRef) => SCENE.tree(ref.kind === "snapshot" ? { ...ref, file: 1 - ref.file } : ref),
};
