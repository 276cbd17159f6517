/** Trees for the tests: random ones with known frames, and their stacks listed one by one. */
import { seeded } from "../../../test/faults/support/random.ts";
import type { CallTree, PythonPlace } from "../model.ts";
import type { LabelFacts } from "./frameTree.ts";

/** What a label of the test trees is to become. */
export interface KnownLabel {
  readonly label: string;
  readonly name: string;
  readonly python?: PythonPlace;
  /** Folded where the stack has a Python frame. */
  readonly folds?: boolean;
  readonly places?: number;
}

const python = (
  pad: string,
  path: string,
  line: number,
  name: string,
  kind: "line" | "function" = "line",
): KnownLabel => ({
  label: `0x9000${pad}: py_000${pad} (in /tmp/pads.so)`,
  name: kind === "line" ? `${name} (${path}:${line})` : `${name} (${path})`,
  python: { path, line, function: name, kind },
});

export const LABELS: readonly KnownLabel[] = [
  { label: "0x1: malloc_consolidate (malloc.c:10)", name: "malloc_consolidate (malloc.c:10)" },
  { label: "0x2: at::empty<int>(long) (in /usr/lib/libtorch_cpu.so)", name: "at::empty<int>(long) (libtorch_cpu.so)" },
  { label: "0x3: at::empty<int>(long) (in /usr/lib/libtorch_cpu.so)", name: "at::empty<int>(long) (libtorch_cpu.so)" },
  { label: "0x4: ??? (in /usr/lib/libcudart.so.10.2.300)", name: "[libcudart.so.10.2.300]" },
  { label: "0x5: PyList_New (in /usr/bin/python3.6)", name: "PyList_New (python3.6)" },
  {
    label: "0x6: _PyEval_EvalFrameDefault (in /usr/bin/python3.6)",
    name: "_PyEval_EvalFrameDefault (python3.6)",
    folds: true,
  },
  { label: "0x7: ??? (in /usr/bin/python3.6)", name: "[python3.6]", folds: true },
  {
    label: "0x8: _PyFunction_FastCallDict (in /usr/bin/python3.6)",
    name: "_PyFunction_FastCallDict (python3.6)",
    folds: true,
  },
  { label: "0x9: Py_Main (in /usr/bin/python3.6)", name: "Py_Main (python3.6)", folds: true },
  python("01", "train.py", 3, "<module>"),
  python("02", "train.py", 7, "step"),
  python("03", "model.py", 4, "forward"),
  python("04", "/usr/lib/python3/torch/nn.py", 100, "__call__", "function"),
];

const BELOW: readonly KnownLabel[] = [1, 2, 12].map((places) => ({
  label:
    places === 1
      ? "in 1 place, below massif's threshold (1.00%)"
      : `in ${places} places, all below massif's threshold (1.00%)`,
  name: "below threshold",
  places,
}));

/** By index into the labels of `randomTree`; the first label is the root's. */
export const KNOWN: readonly KnownLabel[] = [
  { label: "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.", name: "all" },
  ...LABELS,
  ...BELOW,
];

export const FACTS: LabelFacts = {
  python: new Map(KNOWN.flatMap(({ python }, index) => (python === undefined ? [] : [[index, python] as const]))),
  library: new Map(),
};

/** A tree as massif makes them: in pre-order, bytes at the leaves and summed upwards. */
export function randomTree(seed: number, size: number): CallTree {
  const { below } = seeded(seed);
  const nodes: { label: number; parent: number; bytes: number }[] = [{ label: 0, parent: 0, bytes: 0 }];
  const grow = (parent: number, depth: number): number => {
    const children = nodes.length >= size ? 0 : depth < 3 ? 1 + below(4) : below(3);
    if (children === 0) return 1 + below(5000);
    let sum = 0;
    for (let child = 0; child < children; child++) {
      const node = nodes.push({ label: 1 + below(LABELS.length), parent, bytes: 0 }) - 1;
      const bytes = grow(node, depth + 1);
      nodes[node] = { ...at(nodes, node), bytes };
      sum += bytes;
    }
    if (below(3) === 0) {
      const bytes = below(900);
      nodes.push({ label: 1 + LABELS.length + below(BELOW.length), parent, bytes });
      sum += bytes;
    }
    return sum;
  };
  const bytes = grow(0, 0);
  nodes[0] = { label: 0, parent: 0, bytes };
  return {
    labels: KNOWN.map(({ label }) => label),
    label: Uint32Array.from(nodes, ({ label }) => label),
    parent: Uint32Array.from(nodes, ({ parent }) => parent),
    bytes: Float64Array.from(nodes, ({ bytes }) => bytes),
  };
}

export interface KnownStack {
  /** The allocator first. */
  readonly frames: readonly KnownLabel[];
  readonly bytes: number;
}

/** Every stack of a tree, slowly and plainly. */
export function listStacks({ label, parent, bytes }: CallTree): KnownStack[] {
  const stacks: KnownStack[] = [];
  for (let node = 0; node < label.length; node++) {
    const children = [...label.keys()].filter((child) => child > 0 && parent[child] === node);
    const own = children.reduce((rest, child) => rest - (bytes[child] ?? 0), bytes[node] ?? 0);
    if (own === 0) continue;
    const frames: KnownLabel[] = [];
    for (let above = node; above > 0; above = parent[above] ?? 0) frames.unshift(at(KNOWN, label[above] ?? 0));
    stacks.push({ frames, bytes: own });
  }
  return stacks;
}

/** Bytes by the stacks' names joined with `;`, as folded stacks are. */
export function foldedMap(stacks: readonly KnownStack[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { frames, bytes } of stacks) {
    const key = frames.map(({ name }) => name).join(";");
    sums.set(key, (sums.get(key) ?? 0) + bytes);
  }
  return sums;
}

export function withoutInterpreter(stack: KnownStack): KnownStack {
  if (!stack.frames.some(({ python }) => python !== undefined)) return stack;
  return { ...stack, frames: stack.frames.filter(({ folds }) => folds !== true) };
}

export function at<T>(values: ArrayLike<T>, index: number): T {
  const value = values[index];
  if (value === undefined) throw new RangeError(`There is no element ${index}.`);
  return value;
}
