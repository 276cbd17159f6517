/**
 * What the massif page and the editor say to each other. Either side may be out of date or not ours at all, so both
 * check what they receive with the schemas here. Sizes are bytes; a figure that is not known is absent.
 */
import * as v from "valibot";
import { lineNumber, place } from "../figures.ts";
import { readMessage } from "../readMessage.ts";

/** Characters of an export; a longer one is refused with a message. */
export const MAX_EXPORT = 256 * 1024 * 1024;

const size = v.pipe(v.number(), v.finite());
const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const MAX_TEXT = 65_536;
/** A longer one is cut: the arguments of a run may take MBs, and a message that is refused would leave the page empty. */
const text = v.pipe(
  v.string(),
  v.transform((whole) => (whole.length <= MAX_TEXT ? whole : `${whole.slice(0, MAX_TEXT - 1)}…`)),
);
/** Typed arrays travel as base64 of their little-endian bytes. */
const binary = v.string();

const snapshot = v.object({
  number: index,
  time: size,
  heap: size,
  extra: size,
  stacks: size,
  tree: v.picklist(["none", "detailed", "peak"]),
  nodes: index,
  /** How far `heap` may be off, where it was sampled: half the width within which 19 of 20 figures lie. */
  band: v.exactOptional(size),
});

/** One process's massif.out. */
const file = v.object({
  /** For people: `main`, `worker 1`, or the file's name. */
  name: text,
  command: text,
  description: text,
  timeUnit: v.picklist(["i", "ms", "B"]),
  pagesAsHeap: v.boolean(),
  /** What calls took of the GPU's memory, in place of the heap. */
  gpu: v.exactOptional(v.literal(true)),
  /** Bytes allocated between two samples, on average; absent where every allocation was counted. */
  sampled: v.exactOptional(v.pipe(size, v.minValue(1))),
  frames: v.picklist(["lines", "functions", "none"]),
  snapshots: v.pipe(v.array(snapshot), v.readonly()),
  problems: v.pipe(v.array(v.object({ line: lineNumber, message: text })), v.readonly()),
});

/** A line measured before and after; `executions` have detailed snapshots where `stacks` is true. */
const measuredLine = v.object({
  file: index,
  place,
  function: text,
  hits: index,
  measured: index,
  net: size,
  /** How far `net` may be off; an execution's how far its difference may be. */
  noise: v.exactOptional(size),
  executions: v.pipe(
    v.array(v.object({ hit: index, before: size, after: size, noise: v.exactOptional(size), stacks: v.boolean() })),
    v.readonly(),
  ),
});

/** A snapshot of one of the document's files. */
const moment = v.object({ file: index, snapshot: index });

const document = v.object({
  title: text,
  /** Where it was recorded, such as `nano` or `simulated board`; absent for a file that no run of ours wrote. */
  board: v.exactOptional(text),
  files: v.pipe(v.array(file), v.readonly()),
  lines: v.pipe(v.array(measuredLine), v.readonly()),
  /** Of two runs: the same process in both, at its peak. */
  pairs: v.exactOptional(v.pipe(v.array(v.object({ name: text, before: moment, after: moment })), v.readonly())),
  /** What the user should know of these figures; whole sentences. */
  notes: v.pipe(v.array(text), v.readonly()),
});

/** A tree the page may ask for; the numbers are places in the document's lists. */
const treeRef = v.variant("kind", [
  v.object({ kind: v.literal("snapshot"), file: index, snapshot: index }),
  v.object({ kind: v.literal("line"), line: index, execution: index, side: v.picklist(["before", "after"]) }),
]);

/** A CallTree of src/massif/model.ts, with what is known of its labels. */
const wireTree = v.object({
  labels: v.pipe(v.array(v.string()), v.readonly()),
  label: binary,
  parent: binary,
  bytes: binary,
  /** Of `bytes`. */
  sampled: v.exactOptional(v.object({ variance: binary, mean: v.pipe(v.number(), v.finite(), v.minValue(0)) })),
  /** Labels that stand for Python code. */
  python: v.pipe(
    v.array(v.object({ label: index, place, function: text, kind: v.picklist(["line", "function", "profiler"]) })),
    v.readonly(),
  ),
  /** Labels whose library the run recorded. */
  library: v.pipe(v.array(v.object({ label: index, path: text })), v.readonly()),
});

const toPage = v.variant("kind", [
  v.object({
    kind: v.literal("document"),
    document,
    /** What to show first; the peak of the first file when absent. */
    select: v.exactOptional(treeRef),
    /** Show only the stacks that pass through this line. */
    scope: v.exactOptional(place),
  }),
  v.object({ kind: v.literal("scope"), scope: place }),
  v.object({ kind: v.literal("tree"), request: index, tree: wireTree }),
  v.object({ kind: v.literal("tree-failed"), request: index, message: text }),
  v.object({ kind: v.literal("unavailable"), message: text }),
]);

const toEditor = v.variant("kind", [
  /** The page listens now; nothing is sent to it before. */
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("tree"), request: index, ref: treeRef }),
  v.object({ kind: v.literal("goTo"), place }),
  v.object({ kind: v.literal("copy"), text: v.pipe(v.string(), v.maxLength(10_000_000)) }),
  /** `content` is text, or base64 for `png`; the editor asks the user where to write it. */
  v.object({
    kind: v.literal("save"),
    format: v.picklist(["svg", "png", "folded", "speedscope", "heapprofile"]),
    name: v.pipe(v.string(), v.maxLength(200)),
    content: v.pipe(v.string(), v.maxLength(MAX_EXPORT)),
  }),
]);

/**
 * What the page shows: one snapshot, the change between two, the change from one run to another, or what a measured
 * execution of a line changed.
 */
const choice = v.variant("kind", [
  v.object({ kind: v.literal("snapshot"), file: index, snapshot: index, compare: v.exactOptional(index) }),
  v.object({ kind: v.literal("runs"), before: moment, after: moment }),
  v.object({ kind: v.literal("line"), line: index, execution: index }),
]);

/** Names of the frames from below the root to one frame; names outlast the numbers of a file that is read again. */
const framePath = v.pipe(v.array(text), v.maxLength(10_000), v.readonly());

/** What the page keeps while it is hidden, and VS Code over a restart. */
const pageState = v.object({
  /** As the editor named it when it made the page. */
  source: text,
  /** Absent while the user has not chosen. */
  choice: v.exactOptional(choice),
  scope: v.exactOptional(place),
  shape: v.picklist(["icicle", "flame"]),
  direction: v.picklist(["callers-first", "allocators-first"]),
  fold: v.boolean(),
  search: text,
  tab: v.picklist(["tree", "libraries", "allocators", "python", "measured"]),
  /** The graph has the page's whole width; absent while the tree and the tables stand beside it. */
  sideHidden: v.exactOptional(v.literal(true)),
  zoom: framePath,
  selected: v.exactOptional(framePath),
});

export type Place = v.InferOutput<typeof place>;
export type SnapshotSummary = v.InferOutput<typeof snapshot>;
export type MassifDocument = v.InferOutput<typeof document>;
export type DocumentFile = v.InferOutput<typeof file>;
export type DocumentLine = v.InferOutput<typeof measuredLine>;
export type TreeRef = v.InferOutput<typeof treeRef>;
export type WireTree = v.InferOutput<typeof wireTree>;
export type Choice = v.InferOutput<typeof choice>;
export type MassifPageState = v.InferOutput<typeof pageState>;
export type ToMassifPage = v.InferOutput<typeof toPage>;
export type ToMassifEditor = v.InferOutput<typeof toEditor>;

/** Each returns undefined for anything that is not such a message. */
export const readToMassifPage = (value: unknown): ToMassifPage | undefined => readMessage(toPage, value);
export const readToMassifEditor = (value: unknown): ToMassifEditor | undefined => readMessage(toEditor, value);
export const readMassifPageState = (value: unknown): MassifPageState | undefined => readMessage(pageState, value);
