/** The tree that every contestant shows, the same each time, and the form in which each of them takes it. */
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { randomNumbers } from "../massif/generate.mjs";

const DEPTH = 40;
/** Levels at which stacks still share their frames, at the program's and at the allocator's end. */
const SHARED = 3;
/** More than a real program has: the 350,000 nodes of `import numpy` at threshold 0.001 have 1,746 different labels. */
const FUNCTIONS = 5_000;
const PYTHON_LINES = 500;
const LIBRARIES = ["libtorch_cpu.so", "libcudnn.so.8", "libcudart.so.10.2", "libnumpy.so", "libc.so.6"];
const root = fileURLToPath(new URL("../..", import.meta.url));

/** A tree of `count` different stacks of 40 frames as the language server sends it, allocators first. */
function wireTree(count) {
  const random = randomNumbers(7);
  const pick = (choices) => Math.floor(random() * choices);
  const labels = ["(heap allocation functions) malloc/new/new[], --alloc-fns, etc."];
  for (let i = 0; i < PYTHON_LINES; i++) labels.push(`0x${(0x1000 + i).toString(16)}: py_${i} (in /tmp/pads.so)`);
  for (let i = 0; i < FUNCTIONS; i++)
    labels.push(
      `0x${(0x9000 + i).toString(16)}: at::native::kernel_${i}<float>(c10::Tensor const&) (in /usr/lib/${LIBRARIES[i % LIBRARIES.length]})`,
    );
  const native = () => 1 + PYTHON_LINES + pick(FUNCTIONS);
  const label = [0];
  const parent = [0];
  const bytes = [0];
  const known = new Map();
  for (let stack = 0; stack < count; stack++) {
    const size = Math.ceil(random() ** 8 * 1e6) + 16;
    let at = 0;
    bytes[0] += size;
    for (let depth = 0; depth < DEPTH; depth++) {
      const shared = depth < SHARED || depth >= DEPTH - SHARED;
      const frame = shared ? 1 + PYTHON_LINES + pick(3) : depth % 5 === 4 ? 1 + pick(PYTHON_LINES) : native();
      const key = depth < SHARED ? `${at} ${frame}` : undefined;
      let node = key === undefined ? undefined : known.get(key);
      if (node === undefined) {
        node = label.push(frame) - 1;
        parent.push(at);
        bytes.push(0);
        if (key !== undefined) known.set(key, node);
      }
      bytes[node] += size;
      at = node;
    }
  }
  const base64 = (array) => Buffer.from(array.buffer).toString("base64");
  return {
    labels,
    label: base64(Uint32Array.from(label)),
    parent: base64(Uint32Array.from(parent)),
    bytes: base64(Float64Array.from(bytes)),
    python: Array.from({ length: PYTHON_LINES }, (_, i) => ({
      label: 1 + i,
      place: { path: `pkg/module_${i % 40}.py`, line: 1 + i },
      function: `function_${i}`,
      kind: "line",
    })),
    library: [],
  };
}

/** The project's own reading of a tree, to know what it will show. */
async function reading() {
  const built = await esbuild.build({
    stdin: {
      contents: `
        export { decodeTree } from "./webview/flame/decode.ts";
        export { frameTreeOf, viewOf } from "./src/massif/tree/frameTree.ts";
        export { label } from "./webview/flame/frameLook.ts";`,
      resolveDir: root,
    },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString("base64")}`);
}

/**
 * @param frames about how many frames are shown
 * @returns the message's tree; the tree as it is shown (callers first, heaviest first) with the names of its frames
 */
export async function treeOf(frames) {
  const wire = wireTree(Math.ceil((frames / 100_000) * 2_950));
  const { decodeTree, frameTreeOf, viewOf, label } = await reading();
  const { calls, facts } = decodeTree(wire);
  const shown = viewOf(frameTreeOf(calls, facts), { direction: "callers-first", allFrames: false });
  return { wire, shown, names: shown.frames.map(label) };
}

/** What the page gets before it asks for the tree. */
export const documentMessage = (nodes) => ({
  kind: "document",
  document: {
    title: "bench",
    files: [
      {
        name: "main",
        command: "python3 bench.py",
        description: "",
        timeUnit: "ms",
        pagesAsHeap: false,
        frames: "lines",
        snapshots: [{ number: 0, time: 1, heap: 1e9, extra: 0, stacks: 0, tree: "peak", nodes }],
        problems: [],
      },
    ],
    lines: [],
    notes: [],
  },
});

/** d3-flame-graph's: nested objects, a value with that of all below. */
export function nested({ shown, names }) {
  const nodes = [];
  for (let node = 0; node < shown.frame.length; node++) {
    const made = { name: names[shown.frame[node]], value: shown.total[node] };
    nodes.push(made);
    if (node === 0) continue;
    const parent = nodes[shown.parent[node]];
    parent.children ??= [];
    parent.children.push(made);
  }
  return JSON.stringify(nodes[0]);
}

/** Speedscope's own format: one sample for each stack, in the order of the tree. */
export function sampled({ shown, names }) {
  const samples = [];
  const weights = [];
  for (let node = 0; node < shown.frame.length; node++) {
    if (shown.self[node] === 0) continue;
    const stack = [];
    for (let at = node; at > 0; at = shown.parent[at]) stack.push(shown.frame[at]);
    samples.push([...stack, 0].reverse());
    weights.push(shown.self[node]);
  }
  return JSON.stringify({
    $schema: "https://www.speedscope.app/file-format-schema.json",
    shared: { frames: names.map((name) => ({ name })) },
    profiles: [
      { type: "sampled", name: "bench", unit: "bytes", startValue: 0, endValue: shown.total[0], samples, weights },
    ],
  });
}
