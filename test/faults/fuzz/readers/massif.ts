/** massif.out files: in one pass, in chunks of any size, their trees, and what the flame view and exports make of them. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { difference } from "../../../../src/massif/difference.ts";
import { folded, foldedDifference } from "../../../../src/massif/exports/folded.ts";
import { heapProfile } from "../../../../src/massif/exports/heapprofile.ts";
import { speedscope } from "../../../../src/massif/exports/speedscope.ts";
import { flameGraphSvg } from "../../../../src/massif/exports/svg.ts";
import { linesAtPeak } from "../../../../src/massif/lines.ts";
import type { CallTree, FrameTree, MassifFile } from "../../../../src/massif/model.ts";
import { readSampled, readSnapshotBands, sampledFile } from "../../../../src/massif/node/sampledErrors.ts";
import { createMassifReader } from "../../../../src/massif/reader/massifReader.ts";
import { createTreeReader } from "../../../../src/massif/reader/treeReader.ts";
import { peakPlace } from "../../../../src/massif/snapshots.ts";
import { byLibrary, topAllocators } from "../../../../src/massif/summary.ts";
import { labelFacts, NO_NAMES } from "../../../../src/massif/tree/frames.ts";
import { frameTreeOf, viewOf } from "../../../../src/massif/tree/frameTree.ts";
import { parseLabel } from "../../../../src/massif/tree/label.ts";
import { layOut } from "../../../../src/massif/tree/layout.ts";
import { UserError } from "../../../../src/profile/userError.ts";
import { demand, demandFinite, demandPrintable, type FuzzReader, type Outcome } from "../reader.ts";

const SAMPLES = new URL("../../../fixtures/massif/", import.meta.url);
const HEAD = "desc: --threshold=0.5\ncmd: ./a\ntime_unit: i\n";
const SNAPSHOT = (number: number, kind: string, tree = "") =>
  `#-----------\nsnapshot=${number}\n#-----------\ntime=${number}\nmem_heap_B=10\nmem_heap_extra_B=1\nmem_stacks_B=0\nheap_tree=${kind}\n${tree}`;
const TREE = `n2: 10 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n1: 6 0x4E0F: f (a.c:1)
  n0: 6 0x1: main (in /usr/bin/a)
 n0: 4 in 3 places, all below massif's threshold (1.00%)
`;
const TREE_NODES = 4;
const SMALL = HEAD + SNAPSHOT(0, "empty") + SNAPSHOT(1, "detailed", TREE) + SNAPSHOT(2, "peak", TREE);
/** Small ones that valgrind wrote. */
const real = readdirSync(SAMPLES)
  .filter((name) => name.endsWith(".out"))
  .map((name) => readFileSync(new URL(name, SAMPLES)))
  .map((bytes) => bytes.subarray(0, 12_000));

/** In memory of its own each, overwritten afterwards, as a file's buffer is. */
function pushIn(chunk: number, bytes: Uint8Array, push: (part: Uint8Array) => void): void {
  for (let at = 0; at < bytes.length; at += chunk) {
    const part = new Uint8Array(bytes.subarray(at, at + chunk));
    push(part);
    part.fill(0xff);
  }
}

function fileIn(chunk: number, bytes: Uint8Array): MassifFile | UserError {
  const reader = createMassifReader();
  try {
    pushIn(chunk, bytes, reader.push);
    return reader.end();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

/** What is complete before a place does not depend on what comes after it. */
function demandSameBefore(place: number, whole: MassifFile, cut: MassifFile | UserError): void {
  const isBefore = whole.snapshots.map(({ tree }) => tree.kind !== "none" && tree.end <= place);
  const count = isBefore.lastIndexOf(true) + 1;
  if (count === 0) return;
  demand(!(cut instanceof UserError), "a whole snapshot is refused when the file is cut off behind it");
  const first = (file: MassifFile) => JSON.stringify(file.snapshots.slice(0, count));
  demand(first(whole) === first(cut), `the first ${count} snapshots are others when the file is cut off behind them`);
}

/** Parents come before their children, whose bytes they hold. */
function demandTree({ label, labels, parent, bytes }: CallTree, nodes: number): void {
  demand(label.length === nodes && parent.length === nodes, "the tree has other nodes than its snapshot says");
  const left = bytes.slice();
  const hasChildren = new Uint8Array(nodes);
  for (let node = 1; node < nodes; node++) {
    const above = parent[node] ?? nodes;
    demand(above < node && (label[node] ?? 0) < labels.length, `node ${node} hangs nowhere`);
    left[above] = (left[above] ?? 0) - (bytes[node] ?? 0);
    hasChildren[above] = 1;
  }
  const wrong = left.findIndex((rest, node) => (hasChildren[node] === 1 ? rest !== 0 : !(rest >= 0)));
  demand(wrong < 0, `node ${wrong} holds other bytes than its children`);
}

function demandViews(stacks: FrameTree): void {
  const view = viewOf(stacks, { direction: "allocators-first", allFrames: false });
  demandFinite([
    view.total,
    layOut(view, { minWidth: 0.001 }),
    linesAtPeak(stacks),
    byLibrary(stacks),
    topAllocators(stacks),
  ]);
  const change = difference(stacks, view);
  const exports = [folded(view), foldedDifference(change), heapProfile(view), speedscope(view, { name: "a" })];
  for (const pieces of exports) for (const piece of pieces) demand(typeof piece === "string", "an export is no text");
  const picture = [...flameGraphSvg(view, { title: "a" })].join("");
  demandPrintable(picture, "the picture");
}

/** What a sampled process wrote of its stacks, to which the errors belong. */
const SAMPLED = SMALL.replace("desc: ", "desc: --jetson-memprof-heap mean=524288 ");

async function demandErrors(input: Uint8Array): Promise<Outcome> {
  const massifFile = resolve("massif.out.7");
  writeFileSync(sampledFile(massifFile) ?? "", input);
  const file = fileIn(SAMPLED.length + 1, Buffer.from(SAMPLED));
  demand(!(file instanceof UserError), "the sample is refused");
  const reader = createTreeReader(TREE_NODES);
  reader.push(Buffer.from(TREE));
  const sampled = await readSampled(massifFile, file, 1, reader.end());
  const bands = (await readSnapshotBands(massifFile, file)) ?? [];
  demandFinite([sampled, bands]);
  demand(sampled?.variance.length === TREE_NODES && bands.length === file.snapshots.length, "a figure has no error");
  demand(sampled.variance.every((one) => one >= 0) && bands.every((one) => one >= 0), "an error is below 0");
  const isUnknown = sampled.variance.every((one, node) => one === sampled.mean * ([10, 6, 6, 4][node] ?? 0));
  return isUnknown ? "refused" : "read";
}

export const readers: readonly FuzzReader[] = [
  {
    name: "errors of sampled stacks (heap.<pid>.json)",
    short: 4_000,
    samples: [
      JSON.stringify({
        schema: 1,
        snapshots: [
          { snapshot: 1, error: 3 },
          { snapshot: 2, error: 0, mark: "loaded" },
        ],
        trees: [{ snapshot: 1, errors: [3, 2, 2, 0] }],
      }),
      JSON.stringify({ schema: 1, trees: [{ snapshot: 1, errors: [1e6, 2e6, 0, 5] }] }),
    ],
    pieces: ['"errors":[', "1e308", "-1", '"snapshot":1', "null"],
    read: demandErrors,
  },
  {
    name: "massif.out",
    short: 1_500,
    samples: [SMALL, `${HEAD}${SNAPSHOT(7, "peak", TREE.repeat(2))}`, ...real],
    fixtures: ["massif"],
    pieces: [
      "snapshot=1\n",
      "heap_tree=peak\n",
      "heap_tree=detailed\n",
      "n1: 10 ",
      " n0: 4 0x3: h\n",
      "n",
      ": ",
      "time_unit: i\n",
      "desc: ",
      "n4000000: 1 x\n",
      "#-----------\n",
    ],
    read(input, random) {
      const file = fileIn(1 + random.below(300), input);
      const whole = fileIn(input.length + 1, input);
      demand(JSON.stringify(file) === JSON.stringify(whole), "chunks are read otherwise than the whole");
      if (file instanceof UserError) return "refused";
      demandFinite(file);
      const cut = random.below(input.length + 1);
      demandSameBefore(cut, file, fileIn(input.length + 1, input.subarray(0, cut)));
      for (const { line } of file.problems) demand(line > 0, "a problem has no line");
      const peak = peakPlace(file.snapshots);
      for (const [place, { tree }] of file.snapshots.entries()) {
        // One of many is enough: the others are read alike.
        if (tree.kind === "none" || (place !== peak && random.below(4) > 0)) continue;
        const reader = createTreeReader(tree.nodes);
        pushIn(1 + random.below(2000), input.subarray(tree.start, tree.end), reader.push);
        const calls = reader.end();
        demandTree(calls, tree.nodes);
        demandFinite(calls.labels.map(parseLabel));
        if (place === peak) demandViews(frameTreeOf(calls, labelFacts(calls.labels, NO_NAMES)));
      }
      return "read";
    },
  },
];
