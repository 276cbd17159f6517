/**
 * What the timeline page and the editor say to each other. Either side may be out of date or not ours at all, so both
 * check what they receive with the schemas here. Sizes are bytes, times milliseconds since the run's start; a figure
 * that was not read is absent.
 */
import * as v from "valibot";
import { place, size } from "./figures.ts";
import { readMessage } from "./readMessage.ts";

/** More points than this are thinned by the server before they come here. */
export const MAX_POINTS = 2_000;

const sample = v.object({
  t: v.pipe(v.number(), v.finite()),
  rss: v.exactOptional(size),
  memAvailable: v.exactOptional(size),
  at: v.exactOptional(place),
});

const toPage = v.variant("kind", [
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
    samples: v.pipe(v.array(sample), v.maxLength(2 * MAX_POINTS), v.readonly()),
  }),
  v.object({ kind: v.literal("unavailable"), message: v.string() }),
]);

const toEditor = v.variant("kind", [
  /** The page listens now; nothing is sent to it before. */
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("goTo"), place }),
]);

/** What the page keeps while it is hidden, and VS Code over a restart. */
const pageState = v.object({
  folder: v.pipe(v.string(), v.minLength(1)),
  cursor: v.exactOptional(v.number()),
  table: v.exactOptional(v.boolean()),
});

export type Place = v.InferOutput<typeof place>;
export type Sample = v.InferOutput<typeof sample>;
export type ToPage = v.InferOutput<typeof toPage>;
export type Timeline = Extract<ToPage, { kind: "timeline" }>;
export type ToEditor = v.InferOutput<typeof toEditor>;
export type PageState = v.InferOutput<typeof pageState>;

/** Each returns undefined for anything that is not such a message. */
export const readToPage = (value: unknown): ToPage | undefined => readMessage(toPage, value);
export const readToEditor = (value: unknown): ToEditor | undefined => readMessage(toEditor, value);
export const readPageState = (value: unknown): PageState | undefined => readMessage(pageState, value);
