/** A small recording of one GPU, as the server would tell of it; sizes were chosen to be told apart. */
import type {
  Place,
  SnapshotAllocation,
  SnapshotAnswer,
  SnapshotDevice,
  SnapshotDocument,
  SnapshotFrame,
  SnapshotQuery,
  WireActiveMemory,
  WireAllocatorState,
} from "../../../src/protocol/torch/snapshot.ts";
import { MIB } from "./massifScene.ts";

export interface Scene {
  readonly document: SnapshotDocument;
  /** Throws, or rejects with, what the page should say. */
  answer(query: SnapshotQuery): SnapshotAnswer | Promise<SnapshotAnswer>;
}

/** A live range of moments; `end` above the last moment: not freed. */
export interface Made {
  readonly start: number;
  readonly end: number;
  readonly size: number;
  readonly stack: number;
}

const python = (path: string, line: number, name: string): SnapshotFrame => ({ name, place: { path, line } });
const EMPTY_CUDA: SnapshotFrame = { name: "at::detail::empty_cuda(c10::ArrayRef<long>)", source: "EmptyTensor.cpp" };
const MODULE = python("/usr/lib/python3/dist-packages/torch/nn/modules/module.py", 1190, "_call_impl");
const MAIN = python("/home/nano/work/train.py", 40, "<module>");

/** Innermost first. */
export const STACKS: readonly (readonly SnapshotFrame[])[] = [
  [EMPTY_CUDA, python("/home/nano/work/models/lenet.py", 12, "forward"), MODULE, MAIN],
  [EMPTY_CUDA, python("/home/nano/work/train.py", 33, "train"), MAIN],
  [EMPTY_CUDA],
];
const lineOf = (stack: number): Place | undefined =>
  STACKS[stack]?.find(({ place }) => place?.path.startsWith("/home/"))?.place;

const base64 = (array: Uint8Array | Uint32Array | Int32Array | Float64Array): string =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

const stackNames = () =>
  STACKS.map((frames, stack) => {
    const line = lineOf(stack);
    const name = (line === undefined ? frames[0] : frames.find(({ place }) => place === line))?.name ?? "";
    return { stack, name, ...(line === undefined ? {} : { line }) };
  });

const heldAt = (made: readonly Made[], moment: number): number =>
  made.reduce((sum, { start, end, size }) => (start <= moment && end > moment ? sum + size : sum), 0);

interface MemoryRange {
  readonly from: number;
  readonly to: number;
  readonly timed: boolean;
  /** Allocations that are smaller are in the rest. */
  readonly least: number;
  /** Moments that are drawn at most. */
  readonly points: number;
}

/** Moments from the first to the last, evenly. */
const momentsOf = (from: number, to: number, points: number): number[] =>
  Array.from({ length: Math.min(points, to - from + 1) }, (_, i) =>
    Math.round(from + ((to - from) * i) / Math.max(1, Math.min(points, to - from + 1) - 1)),
  );

function memoryOf(made: readonly Made[], { from, to, timed, least, points }: MemoryRange): WireActiveMemory {
  const moments = momentsOf(from, to, points);
  const layers = made
    .map((each, allocation) => ({ ...each, allocation }))
    .filter(({ start, end, size }) => start <= to && end > from && size >= least)
    .sort((a, b) => a.start - b.start);
  const small = made.filter(({ size }) => size < least);
  return {
    moment: base64(Uint32Array.from(moments)),
    total: base64(Float64Array.from(moments, (moment) => heldAt(made, moment))),
    rest: base64(Float64Array.from(moments, (moment) => heldAt(small, moment))),
    t: base64(Float64Array.from(moments, (moment) => (timed ? moment * moment : Number.NaN))),
    layers: {
      allocation: base64(Uint32Array.from(layers, ({ allocation }) => allocation)),
      start: base64(Uint32Array.from(layers, ({ start }) => start)),
      end: base64(Uint32Array.from(layers, ({ end }) => end)),
      size: base64(Float64Array.from(layers, ({ size }) => size)),
      stack: base64(Int32Array.from(layers, ({ stack }) => stack)),
    },
    stacks: stackNames(),
    others: small.length,
  };
}

const BASE = 0x7f_0000_0000n;
const ROOM = 20 * MIB;

/** A segment of 20 MiB, or as large as it must be, for each three allocations, one after the other in it. */
function stateOf(made: readonly Made[], moment: number): WireAllocatorState {
  const segments: WireAllocatorState["segments"][number][] = [];
  const blocks: { segment: number; offset: number; size: number; allocation: number; stack: number }[] = [];
  for (let first = 0; first < made.length; first += 3) {
    let offset = 0;
    let held = 0;
    const segment = segments.length;
    made.slice(first, first + 3).forEach(({ start, end, size, stack }, i) => {
      if (start <= moment && end > moment) {
        blocks.push({ segment, offset, size, allocation: first + i, stack });
        held += size;
      }
      offset += size;
    });
    const address = `0x${(BASE + BigInt(segment) * 0x1000_0000n).toString(16)}` as const;
    segments.push({ address, size: Math.max(ROOM, offset), type: "large", expandable: segment === 1, held });
  }
  return {
    segments,
    blocks: {
      segment: base64(Uint32Array.from(blocks, ({ segment }) => segment)),
      offset: base64(Float64Array.from(blocks, ({ offset }) => offset)),
      size: base64(Float64Array.from(blocks, ({ size }) => size)),
      state: base64(Uint8Array.from(blocks, ({ allocation }) => (allocation === 1 ? 1 : 0))),
      allocation: base64(Uint32Array.from(blocks, ({ allocation }) => allocation)),
      stack: base64(Int32Array.from(blocks, ({ stack }) => stack)),
    },
    stacks: stackNames(),
    homeless: { blocks: 0, bytes: 0 },
  };
}

type Tree = Extract<SnapshotAnswer, { about: "tree" }>["tree"];

function treeOf(made: readonly Made[], moment: number, frames: "python" | "all"): Tree {
  const labels: string[] = ["(heap allocation functions) PyTorch"];
  const facts: Tree["python"][number][] = [];
  const nodes = [{ label: 0, parent: 0, bytes: 0 }];
  const known = new Map<string, number>();
  const labelOf = ({ name, place }: SnapshotFrame): number => {
    const text = place === undefined ? name : `${place.path}:${place.line} ${name}`;
    const before = labels.indexOf(text);
    if (before !== -1) return before;
    const label = labels.push(text) - 1;
    if (place !== undefined) facts.push({ label, place, function: name, kind: "line" });
    return label;
  };
  const add = (node: number, bytes: number): void => {
    const entry = nodes[node];
    if (entry) nodes[node] = { ...entry, bytes: entry.bytes + bytes };
  };
  for (const { start, end, size, stack } of made) {
    if (start > moment || end <= moment) continue;
    const all = STACKS[stack] ?? [];
    const shown = frames === "python" && all.some(({ place }) => place) ? all.filter(({ place }) => place) : all;
    let at = 0;
    add(0, size);
    for (const frame of shown) {
      const label = labelOf(frame);
      const key = `${at} ${label}`;
      const node = known.get(key) ?? nodes.push({ label, parent: at, bytes: 0 }) - 1;
      known.set(key, node);
      add(node, size);
      at = node;
    }
  }
  return {
    labels,
    label: base64(Uint32Array.from(nodes, ({ label }) => label)),
    parent: base64(Uint32Array.from(nodes, ({ parent }) => parent)),
    bytes: base64(Float64Array.from(nodes, ({ bytes }) => bytes)),
    python: facts,
    library: [],
  };
}

function allocationOf(made: readonly Made[], allocation: number, events: number): SnapshotAllocation {
  const one = made[allocation];
  if (!one) throw new Error("There is no such allocation.");
  const { start, end, size, stack } = one;
  const line = lineOf(stack);
  return {
    allocation,
    address: "0x7fffffffffffff00",
    size,
    ...(end > events ? { block: size + 512 } : { end }),
    ...(start > 0 ? { start } : {}),
    stack: { frames: STACKS[stack] ?? [], ...(line === undefined ? {} : { line }) },
  };
}

export interface SceneOptions {
  readonly made: readonly Made[];
  readonly events: number;
  readonly timed?: boolean;
  readonly least?: number;
  readonly points?: number;
  readonly device?: Partial<SnapshotDevice>;
  readonly document?: Partial<SnapshotDocument>;
}

export function sceneOf({
  made,
  events,
  timed = false,
  least = 0,
  points = 1_000,
  device,
  document,
}: SceneOptions): Scene {
  const moments = momentsOf(0, events, points);
  const highest = moments.reduce((best, moment) => (heldAt(made, moment) > heldAt(made, best) ? moment : best), 0);
  const allocated = heldAt(made, events);
  const totals = {
    segments: Math.ceil(made.length / 3),
    reserved: stateOf(made, events).segments.reduce((sum, { size }) => sum + size, 0),
    allocated,
    active: allocated,
    inactiveSplit: 4 * MIB,
    cached: 0,
    largestFree: 4 * MIB,
  };
  return {
    document: {
      title: "allocator.4242.0.pickle",
      devices: [
        {
          device: 0,
          totals,
          events,
          ...(timed ? { duration: events * events } : {}),
          maximum: { moment: highest, bytes: heldAt(made, highest) },
          outOfMemory: [],
          outOfMemoryMore: 0,
          parts: [],
          partsMore: 0,
          ...device,
        },
      ],
      settings: [],
      notes: [],
      ...document,
    },
    answer(query) {
      switch (query.about) {
        case "memory":
          return { about: "memory", memory: memoryOf(made, { from: query.from, to: query.to, timed, least, points }) };
        case "state":
          return { about: "state", state: stateOf(made, query.moment) };
        case "tree":
          return { about: "tree", tree: treeOf(made, query.moment, query.frames) };
        case "allocation":
          return { about: "allocation", allocation: allocationOf(made, query.allocation, events) };
      }
    },
  };
}

/** Weights of 8 MiB from before the recording on, activations of two lines, and one that is freed at the end. */
export const MADE: readonly Made[] = [
  { start: 0, end: 99, size: 8 * MIB, stack: 1 },
  { start: 1, end: 7, size: 6 * MIB, stack: 0 },
  { start: 2, end: 6, size: 4 * MIB, stack: 0 },
  { start: 4, end: 5, size: 12 * MIB, stack: 1 },
  { start: 7, end: 99, size: 2 * MIB, stack: 2 },
];

const OOM: Partial<SnapshotDevice> = {
  outOfMemory: [
    { moment: 5, requested: 2_048 * MIB, deviceFree: 300 * MIB, held: 18 * MIB, stack: { frames: STACKS[0] ?? [] } },
  ],
};

export const SCENE = sceneOf({ made: MADE, events: 8, timed: true, device: OOM });

/** The same, of a script that named its parts by record_function. */
export const NAMED_SCENE = sceneOf({
  made: MADE,
  events: 8,
  timed: true,
  device: {
    ...OOM,
    parts: [
      { name: "step 1", from: 0, to: 6 },
      { name: "forward", from: 0, to: 4 },
      { name: "backward", from: 4, to: 6 },
      { name: "step 2", from: 6 },
    ],
  },
});
