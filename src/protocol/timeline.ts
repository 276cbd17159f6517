/**
 * What the timeline page and the editor say to each other, of a run or of a torch.profiler trace. Either side may be out of date or not ours at all, so both
 * check what they receive with the schemas here. Sizes are bytes, times milliseconds since the run's start; a figure
 * that was not read is absent.
 */
import * as v from "valibot";
import { finite, place, size } from "./figures.ts";
import { readMessage } from "./readMessage.ts";

/** More points than this are thinned by the server before they come here. */
export const MAX_POINTS = 2_000;

const sample = v.object({
  t: v.pipe(v.number(), v.finite()),
  rss: v.exactOptional(size),
  memAvailable: v.exactOptional(size),
  at: v.exactOptional(place),
});

const text = v.pipe(v.string(), v.maxLength(4_096));
/** Operators inside of each other, outermost first. */
const path = v.pipe(v.array(text), v.maxLength(1_000), v.readonly());
/** One for each device; null: not known. Sums of changes may be negative. */
const figures = v.pipe(v.array(v.nullable(finite)), v.readonly());

const traceHeld = v.object({
  device: text,
  /** What was live at the device's peak by who allocated it, heaviest first. */
  holdings: v.pipe(v.array(v.object({ path, bytes: size, allocations: size })), v.readonly()),
  /** What is left of that. */
  others: size,
  /** Live at the peak, and not allocated within the trace. */
  before: size,
});

/** A torch.profiler trace; times are milliseconds since its first memory event. */
const trace = v.object({
  kind: v.literal("trace"),
  title: text,
  /** `summed`: the trace does not say how much was allocated, so its changes were added up. */
  devices: v.pipe(
    v.array(v.object({ name: text, totals: v.picklist(["trace", "summed"]) })),
    v.minLength(1),
    v.readonly(),
  ),
  /** In the trace; more than `moments` where it was thinned. */
  events: size,
  /** One event each; `device` is a place in `devices`. */
  moments: v.pipe(
    v.array(v.object({ t: finite, device: size, bytes: finite, allocated: figures, reserved: figures, path })),
    v.maxLength(2 * MAX_POINTS),
    v.readonly(),
  ),
  held: v.pipe(v.array(traceHeld), v.readonly()),
  problems: v.pipe(v.array(text), v.readonly()),
});

const toPage = v.variant("kind", [
  trace,
  v.object({
    kind: v.literal("timeline"),
    /** What the user calls the run, for the page's heading. */
    title: v.string(),
    /** False while more samples come. */
    finished: v.boolean(),
    /** All memory of the board. */
    memTotal: v.exactOptional(size),
    /** The most the script held, as the board's kernel recorded it; it may lie between two samples. */
    rssPeak: v.exactOptional(size),
    /** Between which samples it was reached. */
    peakReached: v.exactOptional(v.object({ after: finite, until: finite })),
    /** What `rss` is where it is not RSS, as of a run that another tool measured. */
    measure: v.exactOptional(text),
    samples: v.pipe(v.array(sample), v.maxLength(2 * MAX_POINTS), v.readonly()),
  }),
  v.object({ kind: v.literal("unavailable"), message: v.string() }),
]);

/** Milliseconds. */
const range = v.object({ from: finite, until: finite });

const toEditor = v.variant("kind", [
  /** The page listens now; nothing is sent to it before. */
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("goTo"), place }),
  /** Only this part of the time is looked at from now on; without one all of it. */
  v.object({ kind: v.literal("zoom"), range: v.exactOptional(range) }),
]);

/** What the page keeps while it is hidden, and VS Code over a restart. */
const pageState = v.object({
  /** The run folder, or the trace file. */
  folder: v.pipe(v.string(), v.minLength(1)),
  cursor: v.exactOptional(finite),
  table: v.exactOptional(v.boolean()),
  zoom: v.exactOptional(range),
});

export type Place = v.InferOutput<typeof place>;
export type Sample = v.InferOutput<typeof sample>;
export type Trace = v.InferOutput<typeof trace>;
export type TraceHeld = v.InferOutput<typeof traceHeld>;
export type ToPage = v.InferOutput<typeof toPage>;
export type Timeline = Extract<ToPage, { kind: "timeline" }>;
export type ToEditor = v.InferOutput<typeof toEditor>;
export type PageState = v.InferOutput<typeof pageState>;

/** Each returns undefined for anything that is not such a message. */
export const readToPage = (value: unknown): ToPage | undefined => readMessage(toPage, value);
export const readToEditor = (value: unknown): ToEditor | undefined => readMessage(toEditor, value);
export const readPageState = (value: unknown): PageState | undefined => readMessage(pageState, value);
