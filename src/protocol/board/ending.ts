/** What the page "why it was killed" and the editor say to each other; both check what they receive. */
import * as v from "valibot";
import type { Advice } from "../../board/advice/model.ts";
import type { Failure } from "../../board/ending/failure.ts";
import type { EndingReport } from "../../board/ending/model.ts";
import { finite, lineNumber, place, size } from "../figures.ts";
import { readMessage } from "../readMessage.ts";

/** Of one run: why it ran out of memory (null where it did not), and what could be done. */
export interface RunEnding {
  readonly title: string;
  readonly board: string;
  readonly simulated?: string;
  /** Where it ran, in the form `parseTarget` reads; absent where that was not recorded. */
  readonly target?: string;
  readonly report: EndingReport | null;
  /** Where the script failed for another reason than memory. */
  readonly failure?: Failure;
  /** Strongest first. */
  readonly advice: readonly Advice[];
}

export type ToEndingPage =
  | { readonly kind: "ending"; readonly ending: RunEnding }
  | { readonly kind: "unavailable"; readonly message: string };

const allocator = v.object({
  form: v.picklist(["up-to-2.0", "from-2.1"]),
  device: v.exactOptional(finite),
  tried: size,
  total: v.exactOptional(size),
  free: v.exactOptional(size),
  allocated: v.exactOptional(size),
  reserved: v.exactOptional(size),
  unallocated: v.exactOptional(size),
  inUse: v.exactOptional(size),
});

const report: v.GenericSchema<unknown, EndingReport> = v.object({
  kind: v.picklist([
    "kernel-out-of-memory",
    "memory-limit",
    "killed",
    "cuda-out-of-memory",
    "cuda-driver-out-of-memory",
    "nvml-assert",
    "nvmap-error-12",
    "errno-12",
    "memory-error",
  ]),
  headline: v.string(),
  meaning: v.string(),
  sureness: v.picklist(["exact", "estimated", "inferred"]),
  rank: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  place: v.exactOptional(place),
  stack: v.array(
    v.object({
      path: v.string(),
      line: lineNumber,
      function: v.exactOptional(v.string()),
      text: v.exactOptional(v.string()),
      own: v.boolean(),
    }),
  ),
  stackSource: v.picklist(["traceback", "recorded", "none"]),
  message: v.exactOptional(v.string()),
  kernelLog: v.array(v.string()),
  evidence: v.exactOptional(v.string()),
  allocator: v.exactOptional(allocator),
  last: v.array(
    v.object({
      t: v.pipe(v.number(), v.finite()),
      memAvailable: v.exactOptional(size),
      swapFree: v.exactOptional(size),
      runRss: v.exactOptional(size),
      nvmap: v.exactOptional(size),
      at: v.exactOptional(place),
    }),
  ),
});

const advice: v.GenericSchema<unknown, Advice> = v.object({
  rule: v.string(),
  symptom: v.string(),
  evidence: v.array(v.string()),
  remedy: v.string(),
  steps: v.array(
    v.variant("kind", [
      v.object({ kind: v.literal("command"), label: v.string(), command: v.string() }),
      v.object({ kind: v.literal("environment"), label: v.string(), name: v.string(), value: v.string() }),
      v.object({ kind: v.literal("edit"), label: v.string(), place, find: v.string(), replace: v.string() }),
    ]),
  ),
  saves: v.exactOptional(v.object({ bytes: size, how: v.string() })),
  source: v.object({ title: v.string(), url: v.string() }),
  place: v.exactOptional(place),
  strength: v.picklist(["certain", "likely"]),
});

const failure: v.GenericSchema<unknown, Failure> = v.object({
  message: v.string(),
  place: v.exactOptional(place),
  text: v.exactOptional(v.string()),
  missingModule: v.exactOptional(v.string()),
});

const toPage: v.GenericSchema<unknown, ToEndingPage> = v.variant("kind", [
  v.object({
    kind: v.literal("ending"),
    ending: v.object({
      title: v.string(),
      board: v.string(),
      simulated: v.exactOptional(v.string()),
      target: v.exactOptional(v.string()),
      report: v.nullable(report),
      failure: v.exactOptional(failure),
      advice: v.array(advice),
    }),
  }),
  v.object({ kind: v.literal("unavailable"), message: v.string() }),
]);

const toEditor = v.variant("kind", [
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("goTo"), place }),
  /** Take a step of an advice; both are positions in the lists that the page was sent. */
  v.object({ kind: v.literal("step"), advice: v.pipe(v.number(), v.integer()), step: v.pipe(v.number(), v.integer()) }),
  v.object({ kind: v.literal("openSource"), advice: v.pipe(v.number(), v.integer()) }),
  v.object({ kind: v.literal("openMemory") }),
]);

const pageState = v.object({ folder: v.pipe(v.string(), v.minLength(1)) });

export type EndingPageToEditor = v.InferOutput<typeof toEditor>;
export type EndingPageState = v.InferOutput<typeof pageState>;
export const readToEndingPage = (value: unknown): ToEndingPage | undefined => readMessage(toPage, value);
export const readEndingPageToEditor = (value: unknown): EndingPageToEditor | undefined => readMessage(toEditor, value);
export const readEndingPageState = (value: unknown): EndingPageState | undefined => readMessage(pageState, value);
