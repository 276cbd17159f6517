/**
 * What the memory page and the editor say to each other. The page reads the records of moments.jsonl itself
 * (`src/board/moments`), so a run that is recorded and a board that is watched look the same to it. Either side may be
 * out of date or not ours, so both check what they receive.
 */
import * as v from "valibot";
import { finite, place, size } from "../figures.ts";
import { readMessage } from "../readMessage.ts";
import { phaseCosts } from "./phases.ts";

/** Records in one message, which the page takes in one turn; a long timeline comes in many. */
export const MAX_RECORDS = 250;

const gpuPart = v.object({
  name: v.string(),
  pytorch: v.exactOptional(v.boolean()),
  pinned: v.boolean(),
  live: v.exactOptional(size),
  peak: v.exactOptional(size),
});

const toPage = v.variant("kind", [
  v.object({
    kind: v.literal("start"),
    /** What the user calls the run, or the board that is watched. */
    title: v.string(),
    /** The board it ran on or that is watched: `Jetson Nano · JetPack 4.6.1`. */
    board: v.exactOptional(v.string()),
    source: v.picklist(["run", "watch"]),
    /** What is simulated, for a board that is none; shown wherever the figures are. */
    simulated: v.exactOptional(v.string()),
    /** Massif's peak of the same run: bytes of the heap, or of mapped pages. */
    massif: v.exactOptional(v.object({ bytes: size, pages: v.boolean() })),
  }),
  /** Lines of moments.jsonl, in order, whole. */
  v.object({
    kind: v.literal("records"),
    lines: v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_000_000))), v.maxLength(MAX_RECORDS), v.readonly()),
  }),
  /** What each phase of the run took, as far as is known now; a later message replaces it. */
  v.object({ kind: v.literal("phases"), costs: phaseCosts }),
  /** No records come for now, and why; the next ones end that. */
  v.object({ kind: v.literal("waiting"), message: v.string() }),
  /**
   * No more records come; `message` says why where that is not plain, and what to do. `rssPeak`: highest RSS of a run's
   * main process, bytes, which may lie between two records. `gpu`: what calls of its processes took of the GPU.
   */
  v.object({
    kind: v.literal("ended"),
    message: v.exactOptional(v.string()),
    rssPeak: v.exactOptional(size),
    gpu: v.exactOptional(
      v.pipe(v.array(v.object({ pid: size, parts: v.pipe(v.array(gpuPart), v.readonly()) })), v.readonly()),
    ),
  }),
  /** Nothing can be shown: what happened and what to do. */
  v.object({ kind: v.literal("unavailable"), message: v.string() }),
]);

const toEditor = v.variant("kind", [
  /** The page listens now; nothing is sent to it before. */
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("goTo"), place }),
  /** The ledger and the tools' table of the moment shown, as text for the clipboard. */
  v.object({ kind: v.literal("copy"), text: v.pipe(v.string(), v.maxLength(200_000)) }),
]);

/** What the page keeps while it is hidden, and VS Code over a restart. `folder` is absent for a board that is watched. */
const pageState = v.object({
  folder: v.exactOptional(v.pipe(v.string(), v.minLength(1))),
  /** The moment chosen, by its time or by what it is; absent: the peak of a run, the newest of a watch. */
  moment: v.exactOptional(v.union([finite, v.picklist(["peak", "newest"])])),
  picture: v.exactOptional(v.picklist(["bar", "icicle"])),
});

export type ToMemoryPage = v.InferOutput<typeof toPage>;
export type MemoryPageToEditor = v.InferOutput<typeof toEditor>;
export type MemoryPageState = v.InferOutput<typeof pageState>;

/** Each returns undefined for anything that is not such a message. */
export const readToMemoryPage = (value: unknown): ToMemoryPage | undefined => readMessage(toPage, value);
export const readMemoryPageToEditor = (value: unknown): MemoryPageToEditor | undefined => readMessage(toEditor, value);
export const readMemoryPageState = (value: unknown): MemoryPageState | undefined => readMessage(pageState, value);
