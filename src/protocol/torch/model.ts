/**
 * What the page "Model Account" and the editor say to each other; both check what they receive. The page works out
 * batch sizes and what-ifs itself (`src/torch`), so a slider answers at once.
 */
import * as v from "valibot";
import type { ModelAccount, Trial } from "../../torch/model/model.ts";
import type { TrainingContext } from "../../torch/whatif/context.ts";
import { type SharedLayer, WHAT_IF_KINDS, type WhatIf } from "../../torch/whatif/model.ts";
import type { WhatIfs } from "../../torch/whatif/whatIfs.ts";
import { finite, lineNumber, place, size } from "../figures.ts";
import { readMessage } from "../readMessage.ts";
import { account, measure, trial } from "./account.ts";

export type Place = v.InferOutput<typeof place>;

/** Of one run: what its models held, and what can be worked out from that. */
export interface ModelDocument {
  readonly title: string;
  /** Where it ran, as people call it. */
  readonly board: string;
  readonly simulated?: string;
  readonly running: boolean;
  /** The main process first; only those that have a model. */
  readonly processes: readonly {
    readonly name: string;
    readonly account: ModelAccount;
    /** Those that the page does not work out itself, for each root of the account. */
    readonly whatIfs?: readonly WhatIfs[];
  }[];
  /** What else the run knows of its training. */
  readonly context: TrainingContext;
  /** Whether the run can be made again with a change. */
  readonly repeatable: boolean;
  /** Over the newest run of each script of the workspace, heaviest first. */
  readonly shared: readonly SharedLayer[];
  /** How many models were compared for that. */
  readonly compared: number;
}

export type ToModelPage =
  | { readonly kind: "model"; readonly document: ModelDocument }
  | { readonly kind: "unavailable"; readonly message: string };

const sharedLayer: v.GenericSchema<unknown, SharedLayer> = v.object({
  type: v.string(),
  config: v.string(),
  bytes: size,
  copies: v.array(v.object({ model: v.string(), layer: v.string() })),
  saving: size,
});

const estimate = v.object({ bytes: finite, low: finite, high: finite });
const whatIf: v.GenericSchema<unknown, WhatIf> = v.object({
  kind: v.picklist(WHAT_IF_KINDS),
  title: v.string(),
  of: v.string(),
  now: estimate,
  changed: estimate,
  formula: v.string(),
  symbols: v.array(
    v.object({ symbol: v.string(), meaning: v.string(), value: finite, unit: v.picklist(["bytes", "count"]) }),
  ),
  notes: v.array(v.string()),
  verify: v.variant("kind", [
    v.object({ kind: v.literal("run"), trial }),
    v.object({ kind: v.literal("edit"), code: v.string() }),
  ]),
  measured: v.exactOptional(v.object({ run: v.string(), bytes: finite })),
});
const whatIfs: v.GenericSchema<unknown, WhatIfs> = v.object({
  estimates: v.array(whatIf),
  refused: v.array(v.object({ kind: v.picklist(WHAT_IF_KINDS), title: v.string(), reason: v.string() })),
});

const context: v.GenericSchema<unknown, TrainingContext> = v.object({
  sharedMemory: v.boolean(),
  computeCapability: v.exactOptional(v.string()),
  availableBefore: v.exactOptional(size),
  moves: v.array(v.object({ made: place, moved: place, bytes: size })),
  workers: v.exactOptional(v.object({ count: finite, bytes: size })),
  loader: v.array(
    v.object({ path: v.string(), line: lineNumber, workers: v.exactOptional(finite), pinned: v.boolean() }),
  ),
  others: v.array(
    v.object({
      run: v.string(),
      root: v.string(),
      trial: v.exactOptional(trial),
      batch: v.exactOptional(size),
      peak: v.exactOptional(size),
      measure: v.exactOptional(measure),
      activations: v.exactOptional(size),
      sameArguments: v.boolean(),
    }),
  ),
});

const document: v.GenericSchema<unknown, ModelDocument> = v.object({
  title: v.string(),
  board: v.string(),
  simulated: v.exactOptional(v.string()),
  running: v.boolean(),
  processes: v.array(v.object({ name: v.string(), account, whatIfs: v.exactOptional(v.array(whatIfs)) })),
  context,
  repeatable: v.boolean(),
  shared: v.array(sharedLayer),
  compared: finite,
});

const toPage: v.GenericSchema<unknown, ToModelPage> = v.variant("kind", [
  v.object({ kind: v.literal("model"), document }),
  v.object({ kind: v.literal("unavailable"), message: v.string() }),
]);

const toEditor: v.GenericSchema<unknown, ModelPageToEditor> = v.variant("kind", [
  v.object({ kind: v.literal("ready") }),
  v.object({ kind: v.literal("goTo"), place }),
  v.object({ kind: v.literal("copy"), text: v.pipe(v.string(), v.maxLength(20_000)) }),
  /** Make the run again with this change to the model. */
  v.object({ kind: v.literal("check"), trial }),
]);

export type ModelPageToEditor =
  | { readonly kind: "ready" }
  | { readonly kind: "goTo"; readonly place: Place }
  | { readonly kind: "copy"; readonly text: string }
  | { readonly kind: "check"; readonly trial: Trial };

const view = v.picklist(["tree", "table", "icicle"]);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What the page keeps while it is hidden, and VS Code over a restart. */
const pageState = v.object({
  folder: v.pipe(v.string(), v.minLength(1)),
  view: v.exactOptional(view),
  /** Place in the page's list of models, and in the model's list of layers. */
  model: v.exactOptional(count),
  layer: v.exactOptional(count),
  /** What was typed as free, bytes. */
  free: v.exactOptional(size),
  /** What the sliders of what-ifs stand at. */
  choices: v.exactOptional(v.record(v.picklist(WHAT_IF_KINDS), count)),
});

export type ModelView = v.InferOutput<typeof view>;
export type ModelPageState = v.InferOutput<typeof pageState>;
/** Each returns undefined for anything that is not such a message. */
export const readToModelPage = (value: unknown): ToModelPage | undefined => readMessage(toPage, value);
export const readModelPageToEditor = (value: unknown): ModelPageToEditor | undefined => readMessage(toEditor, value);
export const readModelPageState = (value: unknown): ModelPageState | undefined => readMessage(pageState, value);
