/** What the page "Sweep" and the editor say to each other; both check what they receive. */
import * as v from "valibot";
import type { Exit } from "../profile/model.ts";
import { type Estimate, FIGURES, type Sweep, type SweepPoint } from "../sweep/model.ts";
import { finite, size } from "./figures.ts";
import { readMessage } from "./readMessage.ts";

export type ToSweepPage =
  | {
      readonly kind: "sweep";
      readonly sweep: Sweep;
      /** What is under way in this window: `run 3 of 12`. */
      readonly making?: string;
    }
  | { readonly kind: "unavailable"; readonly message: string };

export type SweepPageToEditor =
  | { readonly kind: "ready" }
  | { readonly kind: "openRun"; readonly folder: string }
  /** Make the runs that are missing. */
  | { readonly kind: "resume" };

const text = v.pipe(v.string(), v.maxLength(65_536));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const figure = v.picklist(FIGURES);
const values = v.record(text, text);
const measured = { median: size, spread: v.exactOptional(size), runs: count };
const byFigure = <T extends v.GenericSchema>(of: T) =>
  v.object({ rss: v.exactOptional(of), board: v.exactOptional(of), cuda: v.exactOptional(of) });

const exit: v.GenericSchema<unknown, Exit> = v.variant("kind", [
  v.object({ kind: v.literal("exited"), code: v.pipe(v.number(), v.integer()) }),
  v.object({ kind: v.literal("signalled"), signal: text }),
  v.object({
    kind: v.literal("out-of-memory"),
    signal: text,
    evidence: v.exactOptional(text),
    kernelLog: v.exactOptional(v.array(text)),
  }),
  v.object({ kind: v.literal("cancelled"), signal: v.exactOptional(text) }),
  v.object({ kind: v.literal("not-started"), message: text }),
  v.object({ kind: v.literal("lost"), restarted: v.exactOptional(v.literal(true)) }),
]);

const point: v.GenericSchema<unknown, SweepPoint> = v.object({
  values,
  folders: v.array(text),
  state: v.picklist(["fits", "out-of-memory", "failed", "skipped", "missing", "running"]),
  left: count,
  exits: v.array(exit),
  reason: v.exactOptional(text),
  peaks: byFigure(v.object({ ...measured, least: size, most: size })),
  elapsedMs: v.exactOptional(v.object(measured)),
  available: v.exactOptional(size),
});

const line = v.object({ bytesEach: finite, fixed: finite, misfit: size, points: count });
const estimate: v.GenericSchema<unknown, Estimate> = v.variant("kind", [
  v.object({ figure, kind: v.literal("fits-up-to"), line, largest: finite }),
  v.object({ figure, kind: v.literal("no-limit"), line, reason: text }),
  v.object({ figure, kind: v.literal("no-line"), reason: text }),
]);

const sweep: v.GenericSchema<unknown, Sweep> = v.object({
  id: text,
  title: text,
  target: v.exactOptional(text),
  board: v.exactOptional(text),
  simulated: v.boolean(),
  parameters: v.array(v.object({ name: text, values: v.array(text) })),
  repeat: count,
  points: v.pipe(v.array(point), v.maxLength(10_000)),
  rooms: byFigure(v.object({ bytes: size, how: text })),
  limits: v.array(
    v.object({
      parameter: text,
      others: values,
      largestRun: v.exactOptional(finite),
      smallestFailed: v.exactOptional(finite),
      estimates: v.array(estimate),
    }),
  ),
  notes: v.array(text),
});

const toPage: v.GenericSchema<unknown, ToSweepPage> = v.variant("kind", [
  v.object({ kind: v.literal("sweep"), sweep, making: v.exactOptional(text) }),
  v.object({ kind: v.literal("unavailable"), message: v.string() }),
]);

const toEditor: v.GenericSchema<unknown, SweepPageToEditor> = v.variant("kind", [
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("openRun"), folder: v.pipe(v.string(), v.minLength(1), v.maxLength(4_096)) }),
  v.object({ kind: v.literal("resume") }),
]);

/** What the page keeps while it is hidden, and VS Code over a restart. */
const pageState = v.object({
  /** The group's id. */
  sweep: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  figure: v.exactOptional(figure),
  /** The parameter along the plot. */
  axis: v.exactOptional(text),
});
export type SweepPageState = v.InferOutput<typeof pageState>;

/** Each returns undefined for anything that is not such a message. */
export const readToSweepPage = (value: unknown): ToSweepPage | undefined => readMessage(toPage, value);
export const readSweepPageToEditor = (value: unknown): SweepPageToEditor | undefined => readMessage(toEditor, value);
export const readSweepPageState = (value: unknown): SweepPageState | undefined => readMessage(pageState, value);
