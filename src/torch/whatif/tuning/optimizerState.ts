/** Optimizers that keep their state in 8 bits, as those of bitsandbytes and torchao do. Sizes are bytes. */

import { phrase, say, t } from "../../../words/t.ts";
import { type Estimator, exactly, refusal } from "../situation.ts";
import { elementsOf, trainedBytes } from "./linear.ts";

export const STATE_8BIT = phrase("Optimizer state in 8 bits");

const FLOAT = 4;
/** Elements that share a float32 scale: bitsandbytes since 0.44 and torchao; before it was 2048. */
const BLOCK = 256;
const EARLIER_BLOCK = 2048;
/** bitsandbytes' `min_8bit_size`: smaller tensors keep 32 bits. */
const LEAST = 4096;
/** Adam's; what is more is no state that we know. */
const MOST_STATES = 2;

export const optimizerIn8Bits: Estimator = ({ root, account }) => {
  let [packed, small, embedded] = [0, 0, 0];
  for (const layer of root.layers) {
    const states = Math.min(MOST_STATES, Math.round((layer.own.optimizer ?? 0) / trainedBytes([layer])));
    if (!(states > 0)) continue;
    for (const { shape, trainable, bytes } of layer.parameters) {
      const elements = trainable && bytes > 0 ? elementsOf(shape) : 0;
      if (elements < LEAST) small += states * elements;
      else {
        packed += states * elements;
        if (/Embedding$/.test(layer.type)) embedded += states * elements;
      }
    }
  }
  const { optimizer } = root.total;
  if (optimizer === undefined || packed === 0 || account.optimizers.some((one) => (one.packed ?? 0) > 0)) {
    return refusal(
      "8bit-optimizer",
      say(STATE_8BIT),
      t("No optimizer state was seen that could be packed and is not yet."),
    );
  }
  const at = (block: number) => packed + FLOAT * Math.ceil(packed / block) + FLOAT * small;
  return {
    kind: "8bit-optimizer",
    title: say(STATE_8BIT),
    of: t("optimizer state"),
    now: exactly(optimizer),
    changed: { bytes: at(BLOCK), low: at(EARLIER_BLOCK), high: at(BLOCK) + embedded * (FLOAT - 1) },
    formula: "n + 4·n/256 + 4·m",
    symbols: [
      { symbol: "n", meaning: t("elements of state in 8 bits"), value: packed, unit: "count" },
      { symbol: "m", meaning: t("those of tensors below 4096 elements, in 32"), value: small, unit: "count" },
    ],
    notes: [t("As bitsandbytes does it. In transformers' Trainer embeddings keep 32 bits: the upper bound.")],
    verify: { kind: "edit", code: "optimizer = bitsandbytes.optim.AdamW8bit(model.parameters())" },
  };
};
