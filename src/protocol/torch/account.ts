/** A model account as it crosses to the page: its shape, checked. What it means: `src/torch/model/model.ts`. */
import * as v from "valibot";
import type { LayerAccount, ModelAccount, RootAccount, Trial } from "../../torch/model/model.ts";
import { finite, place, size } from "../figures.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const shape = v.array(finite);

const bytes = v.object({
  parameters: size,
  buffers: size,
  gradients: v.exactOptional(size),
  optimizer: v.exactOptional(size),
  activations: v.exactOptional(size),
});

const tensor = v.object({
  name: v.string(),
  storage: finite,
  bytes: size,
  shape,
  dtype: v.string(),
  trainable: v.boolean(),
});

const layer: v.GenericSchema<unknown, LayerAccount> = v.object({
  index: count,
  parent: v.exactOptional(count),
  name: v.string(),
  type: v.string(),
  config: v.string(),
  parameters: v.array(tensor),
  buffers: v.array(tensor),
  own: bytes,
  total: bytes,
  activations: v.array(
    v.object({
      storage: finite,
      bytes: size,
      shape,
      dtype: v.string(),
      scales: v.boolean(),
      part: v.picklist(["layer", "input", "after"]),
    }),
  ),
});

export const measure = v.picklist(["cuda-allocated", "rss"]);

const step = v.object({
  step: count,
  training: v.boolean(),
  grad: v.boolean(),
  autocast: v.boolean(),
  checkpointed: v.boolean(),
  batch: v.exactOptional(count),
  inputs: v.array(v.object({ shape, dtype: v.string(), bytes: size })),
  memoryBefore: v.exactOptional(size),
  memoryPeak: v.exactOptional(size),
  measure: v.exactOptional(measure),
  memAvailable: v.exactOptional(size),
  activations: v.exactOptional(size),
  activationsScaling: v.exactOptional(size),
});

const chainTensor = v.object({ storage: finite, bytes: size, saved: v.boolean(), before: v.boolean() });
const chain = v.object({
  step: count,
  batch: v.exactOptional(count),
  layers: v.array(v.object({ layer: count, input: chainTensor, output: chainTensor, inner: size })),
  elsewhere: size,
});

const tuning = v.object({
  adapters: v.array(v.object({ layer: count, name: v.string(), rank: count, scaling: v.exactOptional(finite) })),
  packed: v.array(v.object({ layer: count, parameter: v.string(), kind: v.string(), nested: v.boolean() })),
  checkpointing: v.exactOptional(v.boolean()),
  modelType: v.exactOptional(v.string()),
  positions: v.exactOptional(count),
});

const root: v.GenericSchema<unknown, RootAccount> = v.pipe(
  v.object({
    type: v.string(),
    at: v.exactOptional(place),
    device: v.string(),
    layers: v.array(layer),
    steps: v.array(step),
    shownStep: v.exactOptional(count),
    chain: v.exactOptional(chain),
    tuning: v.exactOptional(tuning),
    total: bytes,
  }),
  v.check(
    ({ layers }) => layers.every(({ index, parent }, i) => index === i && (parent ?? -1) < i),
    "Every layer stands at its place, after the one that it is in.",
  ),
);

export const trial: v.GenericSchema<unknown, Trial> = v.variant("kind", [
  v.object({ kind: v.literal("checkpoint"), every: v.pipe(count, v.minValue(1)) }),
  v.object({ kind: v.literal("nano-batch"), chunks: v.pipe(count, v.minValue(1)) }),
  v.object({ kind: v.literal("amp") }),
  v.object({ kind: v.literal("in-place") }),
]);

export const account: v.GenericSchema<unknown, ModelAccount> = v.object({
  pid: count,
  torch: v.string(),
  activationsBy: v.picklist(["saved-tensors", "outputs"]),
  optimizers: v.array(v.object({ type: v.string(), bytes: size, other: size, packed: v.exactOptional(size) })),
  trial: v.exactOptional(v.object({ trial, applied: v.string(), refused: v.exactOptional(v.string()) })),
  roots: v.array(root),
  complete: v.boolean(),
  problems: v.array(v.string()),
});
