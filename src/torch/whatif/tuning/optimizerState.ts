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
/** The values that 8 bits stand for: one table for each kind of state. */
const TABLE = 256 * FLOAT;
/** Adam's; what is more is no state that we know. */
const MOST_STATES = 2;

export const optimizerIn8Bits: Estimator = ({ root, account }) => {
  const refused = (reason: string) => refusal("8bit-optimizer", say(STATE_8BIT), reason);
  if (root.total.optimizer === undefined) return refused(t("No step of the optimizer was seen."));
  if (account.optimizers.some(({ packed = 0 }) => packed > 0)) {
    return refused(t("The optimizer keeps its state in 8 bits already."));
  }
  let [packed, small, embedded, states] = [0, 0, 0, 0];
  for (const layer of root.layers) {
    const held = Math.min(MOST_STATES, Math.round((layer.own.optimizer ?? 0) / trainedBytes([layer])));
    if (!(held > 0)) continue;
    states = Math.max(states, held);
    for (const { shape, trainable, bytes } of layer.parameters) {
      const elements = trainable && bytes > 0 ? held * elementsOf(shape) : 0;
      if (elements < held * LEAST) small += elements;
      else packed += elements;
      if (elements >= held * LEAST && /Embedding$/.test(layer.type)) embedded += elements;
    }
  }
  if (packed === 0) return refused(t("No state was found that is large enough to be packed."));
  const at = (block: number) => packed + FLOAT * Math.ceil(packed / block) + FLOAT * small + states * TABLE;
  return {
    kind: "8bit-optimizer",
    title: say(STATE_8BIT),
    of: t("optimizer state"),
    now: exactly(root.total.optimizer),
    changed: { bytes: at(BLOCK), low: at(EARLIER_BLOCK), high: at(BLOCK) + embedded * (FLOAT - 1) },
    formula: "n + 4·n/256 + 4·m + T",
    symbols: [
      { symbol: "n", meaning: t("elements of state that take 8 bits"), value: packed, unit: "count" },
      {
        symbol: "m",
        meaning: t("elements of small tensors (below 4096), which keep 32 bits"),
        value: small,
        unit: "count",
      },
      { symbol: "T", meaning: t("tables of the values"), value: states * TABLE, unit: "bytes" },
    ],
    notes: [
      t("As bitsandbytes does it. The upper bound is for embeddings that keep 32 bits, as in transformers' Trainer."),
      t("Weights and gradients stay as they are."),
    ],
    verify: {
      kind: "edit",
      code: "optimizer = bitsandbytes.optim.AdamW8bit(model.parameters(), lr=1e-4)",
    },
  };
};
