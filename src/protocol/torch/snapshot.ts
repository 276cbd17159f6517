/**
 * What the page of a PyTorch allocator snapshot, the editor and the language server say to each other. Either side may
 * be out of date or not ours at all, so both check what they receive with the schemas here. Sizes are bytes; a figure
 * that is not known is absent. Addresses are text such as `0x7f3a80000000`: they may need 64 bits.
 *
 * A *moment* is a number of events of one device: moment n is right after its first n events. 0 is where the recorded
 * events begin (PyTorch keeps the latest ones only, so memory may be held already), and the number of all events is
 * when the snapshot was taken, which is the only moment where the file has no events.
 */
import * as v from "valibot";
import { place, size } from "../figures.ts";
import { readMessage } from "../readMessage.ts";

/** A page asks for at most so many layers and points, and the server gives no more. */
export const MAX_LAYERS = 16_000;
export const MAX_POINTS = 20_000;
/** Of paths that a page asks about at once. */
export const MAX_PATHS = 1_000;

const index = v.pipe(v.number(), v.integer(), v.minValue(0));
const MAX_TEXT = 65_536;
/** A longer one is cut: C++ names may take KBs, and a message that is refused would leave the page empty. */
const text = v.pipe(
  v.string(),
  v.transform((whole) => (whole.length <= MAX_TEXT ? whole : `${whole.slice(0, MAX_TEXT - 1)}…`)),
);
const address = v.pipe(v.string(), v.regex(/^0x[0-9a-f]{1,16}$/));
/** Typed arrays travel as base64 of their little-endian bytes. */
const binary = v.string();

/** A frame of a stack. `place` is there for Python frames; its path is relative to the project, or absolute. */
const frame = v.object({
  name: text,
  place: v.exactOptional(place),
  /** Where C++ code comes from, as PyTorch has it, such as `CUDACachingAllocator.cpp`. */
  source: v.exactOptional(text),
});

/** A stack, innermost frame first; empty where none was recorded. */
const stack = v.object({
  frames: v.pipe(v.array(frame), v.readonly()),
  /** The line to jump to: the innermost Python frame in the project, else the innermost one outside libraries. */
  line: v.exactOptional(place),
});

/**
 * What the numbers of stacks stand for that columns have, each once: the line to jump to with its function, or where
 * the stack has no such line, the operation, such as `MmBackward0`.
 */
const stackNames = v.pipe(v.array(v.object({ stack: index, name: text, line: v.exactOptional(place) })), v.readonly());

/** The file's own sums for one device, when the snapshot was taken. */
const totals = v.object({
  segments: index,
  /** What PyTorch took from CUDA: all segments. */
  reserved: size,
  /** Blocks that tensors hold. */
  allocated: size,
  /** `allocated` and what was freed but is still in use by another stream. */
  active: size,
  /** What the program asked for, before rounding; absent where the file does not say (before torch 2.1). */
  requested: v.exactOptional(size),
  /** Free parts of segments that have blocks in use: reserved and not to be given back, which is fragmentation. */
  inactiveSplit: size,
  /** Segments that are wholly free: PyTorch keeps them, and gives them back under pressure. */
  cached: size,
  largestFree: size,
});

/** A request for memory that could not be met. */
const outOfMemory = v.object({
  moment: index,
  requested: size,
  /** What CUDA had free; it does not count memory that Linux could reclaim. */
  deviceFree: v.exactOptional(size),
  /** Held then, of what this document counts. */
  held: size,
  /** Milliseconds since the first recorded event. */
  t: v.exactOptional(v.pipe(v.number(), v.finite())),
  stack,
});

/** A part of the program that record_function named, between two moments. */
const part = v.object({
  name: text,
  /** Absent: it began before what PyTorch kept. */
  from: v.exactOptional(index),
  /** Absent: it had not ended when the snapshot was taken. */
  to: v.exactOptional(index),
});

const device = v.object({
  device: index,
  totals,
  events: index,
  /** How long the recorded events took, ms; absent where the file has no times (before torch 2.2). */
  duration: v.exactOptional(size),
  /** The most that was held within the recorded events (bytes as the program asked for them), and the first moment. */
  maximum: v.object({ moment: index, bytes: size }),
  outOfMemory: v.pipe(v.array(outOfMemory), v.readonly()),
  /** More out of memory events than are listed. */
  outOfMemoryMore: index,
  /** In the order in which they began, outer ones before those within them. */
  parts: v.pipe(v.array(part), v.readonly()),
  /** More parts than are listed. */
  partsMore: index,
});

const document = v.object({
  title: text,
  /** Where it was recorded, such as `nano` or `simulated board`; absent for a file that no run of ours wrote. */
  board: v.exactOptional(text),
  /** Ascending by number; may be empty. */
  devices: v.pipe(v.array(device), v.readonly()),
  /** The allocator's settings as the file has them. */
  settings: v.pipe(v.array(v.object({ name: text, value: text })), v.readonly()),
  /** What the user should know of these figures, and what could not be read; whole sentences. */
  notes: v.pipe(v.array(text), v.readonly()),
});

/**
 * Memory held over a range of moments. The largest allocations of the range are layers, ordered by when they began,
 * which is the order to stack them in (webview/snapshot/active/layers.ts does); the others are summed in `rest`, on top.
 * At each of `moment`, the layers live then and `rest` add up to `total` exactly.
 */
const activeMemory = v.object({
  /** Uint32: the moments that are drawn, ascending, the first and last of the range among them; extremes are kept. */
  moment: binary,
  /** Float64, for each moment. */
  total: binary,
  rest: binary,
  /** Float64, for each moment: ms since the first recorded event; NaN where the file has no times. */
  t: binary,
  layers: v.object({
    /** Uint32: by which an allocation is asked about. */
    allocation: binary,
    /** Uint32: live from this moment (0: before the first event) … */
    start: binary,
    /** Uint32: … until before this one; one more than the device's events: not freed. */
    end: binary,
    /** Float64 */
    size: binary,
    /** Int32: equal stacks have equal numbers, for colors; -1: none recorded. */
    stack: binary,
  }),
  stacks: stackNames,
  /** Allocations of the range that are in `rest`. */
  others: index,
});

/** Segments and their blocks at a moment. Columns have one value for each segment or block. */
const allocatorState = v.object({
  segments: v.pipe(
    v.array(
      v.object({
        address,
        size,
        /** `large`, `small`; absent for a segment that was given back before the snapshot was taken. */
        type: v.exactOptional(v.picklist(["large", "small"])),
        stream: v.exactOptional(text),
        pool: v.exactOptional(text),
        expandable: v.boolean(),
        held: size,
      }),
    ),
    v.readonly(),
  ),
  /** In use, by segment and then by address; what lies between them is free. */
  blocks: v.object({
    /** Uint32: place in `segments`. */
    segment: binary,
    /** Float64: from the segment's start. */
    offset: binary,
    /** Float64 */
    size: binary,
    /** Uint8: 0 allocated, 1 freed but awaiting another stream. */
    state: binary,
    /** Uint32: by which an allocation is asked about. */
    allocation: binary,
    /** Int32: as in the layers. */
    stack: binary,
  }),
  stacks: stackNames,
  /** Blocks in use whose segment is not known; only moments before the end may have some. */
  homeless: v.object({ blocks: index, bytes: size }),
});

const allocation = v.object({
  allocation: index,
  address,
  /** As the program asked for it. */
  size,
  /** The whole block, where the file says so (what is live when the snapshot was taken). */
  block: v.exactOptional(size),
  /** Absent where it began before the first recorded event, or the file has no events. */
  start: v.exactOptional(index),
  /** Absent where it was not freed. */
  end: v.exactOptional(index),
  /** ms it was live. */
  duration: v.exactOptional(size),
  stack,
});

/** Live bytes by stack, in the form in which the massif page's flame graph takes them: callers are children. */
const wireTree = v.object({
  labels: v.pipe(v.array(text), v.readonly()),
  label: binary,
  parent: binary,
  bytes: binary,
  python: v.pipe(
    v.array(v.object({ label: index, place, function: text, kind: v.picklist(["line", "function", "profiler"]) })),
    v.readonly(),
  ),
  library: v.pipe(v.array(v.object({ label: index, path: text })), v.readonly()),
});

const memoryQuery = v.object({
  device: index,
  from: index,
  to: index,
  layers: v.pipe(index, v.maxValue(MAX_LAYERS)),
  points: v.pipe(index, v.minValue(2), v.maxValue(MAX_POINTS)),
});
const stateQuery = v.object({ device: index, moment: index });
/** `python` leaves C++ frames out of stacks that have Python frames. */
const treeQuery = v.object({ device: index, moment: index, frames: v.picklist(["python", "all"]) });
const allocationQuery = v.object({ device: index, allocation: index });

/** What the page may ask for; `device` is its number, not its place. */
const query = v.variant("about", [
  v.object({ about: v.literal("memory"), ...memoryQuery.entries }),
  v.object({ about: v.literal("state"), ...stateQuery.entries }),
  v.object({ about: v.literal("tree"), ...treeQuery.entries }),
  v.object({ about: v.literal("allocation"), ...allocationQuery.entries }),
]);

const answer = v.variant("about", [
  v.object({ about: v.literal("memory"), memory: activeMemory }),
  v.object({ about: v.literal("state"), state: allocatorState }),
  v.object({ about: v.literal("tree"), tree: wireTree }),
  v.object({ about: v.literal("allocation"), allocation }),
]);

const toPage = v.variant("kind", [
  v.object({ kind: v.literal("document"), document }),
  /** Another snapshot, which is to be compared with the one that is shown. */
  v.object({ kind: v.literal("other"), document }),
  v.object({ kind: v.literal("answer"), request: index, answer }),
  v.object({ kind: v.literal("failed"), request: index, message: text }),
  /** Of the paths that were asked about with `find`, those that are files of the workspace. */
  v.object({
    kind: v.literal("found"),
    paths: v.pipe(
      v.array(
        v.object({
          path: text,
          /** Nothing but the file's name was the same: it may be another file. */
          byName: v.boolean(),
        }),
      ),
      v.readonly(),
    ),
  }),
  v.object({ kind: v.literal("unavailable"), message: text }),
]);

const toEditor = v.variant("kind", [
  /** The page listens now; nothing is sent to it before. */
  v.object({ kind: v.literal("ready") }),
  /** `of`: the snapshot that is shown, or the one that it is compared with. */
  v.object({ kind: v.literal("query"), request: index, of: v.picklist(["shown", "other"]), query }),
  /** Lets the user choose another snapshot to compare with. */
  v.object({ kind: v.literal("compare") }),
  v.object({ kind: v.literal("stopComparing") }),
  /** Which of these are files of the workspace? Paths are as places have them. */
  v.object({
    kind: v.literal("find"),
    paths: v.pipe(v.array(place.entries.path), v.maxLength(MAX_PATHS), v.readonly()),
  }),
  v.object({ kind: v.literal("goTo"), place }),
  v.object({ kind: v.literal("copy"), text: v.pipe(v.string(), v.maxLength(10_000_000)) }),
]);

/** What the page keeps while it is hidden, and VS Code over a restart. */
const pageState = v.object({
  /** As the editor named it when it made the page. */
  source: text,
  device: v.exactOptional(index),
  /** Absent while the user has not chosen: the maximum. */
  moment: v.exactOptional(index),
  /** Of the chart, where it is zoomed. */
  range: v.exactOptional(v.object({ from: index, to: index })),
  axis: v.picklist(["events", "time"]),
  /** The allocation that is selected. */
  allocation: v.exactOptional(index),
  search: text,
  frames: v.picklist(["python", "all"]),
});

export type Place = v.InferOutput<typeof place>;
export type SnapshotFrame = v.InferOutput<typeof frame>;
export type SnapshotStack = v.InferOutput<typeof stack>;
export type SnapshotTotals = v.InferOutput<typeof totals>;
export type SnapshotOutOfMemory = v.InferOutput<typeof outOfMemory>;
export type SnapshotPart = v.InferOutput<typeof part>;
export type SnapshotDevice = v.InferOutput<typeof device>;
export type SnapshotDocument = v.InferOutput<typeof document>;
export type WireActiveMemory = v.InferOutput<typeof activeMemory>;
export type WireAllocatorState = v.InferOutput<typeof allocatorState>;
export type SnapshotAllocation = v.InferOutput<typeof allocation>;
export type SnapshotQuery = v.InferOutput<typeof query>;
export type SnapshotAnswer = v.InferOutput<typeof answer>;
export type ToSnapshotPage = v.InferOutput<typeof toPage>;
export type ToSnapshotEditor = v.InferOutput<typeof toEditor>;
export type SnapshotPageState = v.InferOutput<typeof pageState>;

/** Each returns undefined for anything that is not such a message. */
export const readToSnapshotPage = (value: unknown): ToSnapshotPage | undefined => readMessage(toPage, value);
export const readToSnapshotEditor = (value: unknown): ToSnapshotEditor | undefined => readMessage(toEditor, value);
export const readSnapshotPageState = (value: unknown): SnapshotPageState | undefined => readMessage(pageState, value);
