/**
 * What the compare page and the editor say to each other; either side may be out of date or not ours at all, so both
 * check what they receive. Sizes are bytes; a figure that is not known is absent.
 */
import * as v from "valibot";
import { METRICS } from "../profile/model.ts";
import { finite, place } from "./figures.ts";
import { readMessage } from "./readMessage.ts";

/** Run folders; more than one are repeats of the same run. */
export interface ComparedFolders {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** More lines than these are counted, not sent; those that changed most come first. */
export const MAX_LINES = 5_000;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(65_536));
const lineNumber = v.pipe(v.number(), v.integer(), v.minValue(1));
const texts = v.pipe(v.array(text), v.readonly());

const measured = v.object({ median: finite, spread: v.exactOptional(finite), runs: count });
const difference = v.object({
  verdict: v.picklist(["more", "less", "same", "only-before", "only-after", "unknown"]),
  before: v.exactOptional(measured),
  after: v.exactOptional(measured),
  change: v.exactOptional(finite),
  noise: v.object({ amount: finite, known: v.boolean() }),
});

const side = v.object({
  /** As its user calls it, or the script with its arguments. */
  name: text,
  /** ISO 8601, of the first of its runs. */
  started: v.exactOptional(text),
  board: v.exactOptional(text),
  simulated: v.boolean(),
  /** The short name of the commit; `changed`: files differed from it. */
  commit: v.exactOptional(v.object({ name: text, changed: count })),
  runs: count,
});

const ledgerLine = v.object({
  id: text,
  group: v.picklist(["free", "cache", "kernel", "others", "run", "gpu"]),
  label: text,
  difference,
});

const line = v.object({
  /** Of the later side; of the earlier one where the file is gone. */
  path: text,
  /** 1-based; absent on the side that does not have the line. */
  before: v.exactOptional(lineNumber),
  after: v.exactOptional(lineNumber),
  text,
  edited: v.boolean(),
  net: difference,
  peak: difference,
});

const document = v.object({
  metric: v.picklist([...METRICS, "heap"]),
  /** Absent where one run's repeats are shown by themselves. */
  before: v.exactOptional(side),
  after: side,
  peak: difference,
  cudaPeak: difference,
  boardPeak: difference,
  baseline: difference,
  elapsedMs: difference,
  ledger: v.pipe(v.array(ledgerLine), v.readonly()),
  /** Largest change first. */
  lines: v.pipe(v.array(line), v.maxLength(MAX_LINES), v.readonly()),
  /** Lines beyond those. */
  linesLeft: count,
  notes: texts,
  /** Both have massif files, so that there is a flame graph of the difference. */
  flame: v.boolean(),
});

const toPage = v.variant("kind", [
  v.object({ kind: v.literal("comparison"), document }),
  v.object({ kind: v.literal("unavailable"), message: text }),
]);

const toEditor = v.variant("kind", [
  /** The page listens now; nothing is sent to it before. */
  v.object({ kind: v.literal("ready") }),
  /** To a line of the later side, or of the earlier one where it is gone. */
  v.object({ kind: v.literal("goTo"), side: v.picklist(["before", "after"]), place }),
  v.object({ kind: v.literal("swap") }),
  v.object({ kind: v.literal("flame") }),
]);

const folders = v.pipe(v.array(v.pipe(v.string(), v.minLength(1))), v.maxLength(1_000), v.readonly());

/** Which runs are compared, as a page or the workspace kept it. */
const comparedFolders = v.object({ before: folders, after: v.pipe(folders, v.minLength(1)) });

const SORTS = ["change", "place", "after"] as const;

/** What the page keeps while it is hidden, and VS Code over a restart. */
const pageState = v.object({
  folders: comparedFolders,
  sort: v.picklist(SORTS),
  search: text,
  /** Lines that did not change too. */
  all: v.boolean(),
});

export type CompareDocument = v.InferOutput<typeof document>;
export type CompareSide = v.InferOutput<typeof side>;
export type CompareLine = v.InferOutput<typeof line>;
export type CompareLedgerLine = v.InferOutput<typeof ledgerLine>;
export type ToComparePage = v.InferOutput<typeof toPage>;
export type ToCompareEditor = v.InferOutput<typeof toEditor>;
export type ComparePageState = v.InferOutput<typeof pageState>;

/** Each returns undefined for anything that is not such a message. */
export const readToComparePage = (value: unknown): ToComparePage | undefined => readMessage(toPage, value);
export const readToCompareEditor = (value: unknown): ToCompareEditor | undefined => readMessage(toEditor, value);
export const readComparePageState = (value: unknown): ComparePageState | undefined => readMessage(pageState, value);
export const readComparedFolders = (value: unknown): ComparedFolders | undefined => readMessage(comparedFolders, value);
