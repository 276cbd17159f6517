/** Mixed precision (AMP): what autocast computes in 16 bits it saves in 16 bits. */

import { phrase, say, t } from "../../words/t.ts";
import { besideNote, besideSymbol, type Estimator, estimated, measuredWith, refusal, STEP_PEAK } from "./situation.ts";

const TITLE = phrase("Mixed precision (AMP)");

/** Modules whose operations autocast runs in float32: https://pytorch.org/docs/stable/amp.html, "ops that autocast to float32". */
const IN_FLOAT32 =
  /\.(?:LayerNorm|GroupNorm|LocalResponseNorm|Softmax|LogSoftmax|Softmin|Softplus|\w*Loss|CosineSimilarity|PairwiseDistance)$/;
const OF_TORCH = /^torch\.nn\./;
/** Modules whose weights autocast copies to 16 bits for each step. */
const CAST_WEIGHTS =
  /\.(?:Linear|Bilinear|Conv\w+|RNN|LSTM|GRU|\w+Cell|MultiheadAttention|NonDynamicallyQuantizableLinear)$/;

export const mixedPrecision: Estimator = (situation) => {
  const { root, size, now, context } = situation;
  if (root.steps.some(({ batch, autocast }) => batch === size.batch && autocast)) {
    return refusal("amp", say(TITLE), t("The training uses autocast already."));
  }
  const cast = root.layers.filter(({ type }) => OF_TORCH.test(type) && CAST_WEIGHTS.test(type));
  if (cast.length === 0) return refusal("amp", say(TITLE), t("No layer was found that autocast runs in 16 bits."));
  const weights = cast.reduce((sum, { own }) => sum + own.parameters / 2, 0);
  let [halved, unsure] = [0, 0];
  for (const { type, activations } of root.layers) {
    const likely = OF_TORCH.test(type) && !IN_FLOAT32.test(type);
    for (const { dtype, bytes, part } of activations) {
      if (dtype !== "float32" || part === "input") continue;
      if (part === "layer" && likely) halved += bytes / 2;
      else unsure += bytes / 2;
    }
  }
  const input = size.inputs / 2;
  // Gradients on their way have the type of what they are gradients of.
  const shareHalved = size.activations === 0 ? 0 : (2 * halved) / size.activations;
  const { beside = 0 } = situation;
  const copies = weights + input;
  const changed = size.activations - halved + beside * (1 - shareHalved / 2) + copies;
  const band = estimated(situation, changed, (beside * shareHalved) / 2);
  const least = size.activations - halved - unsure + beside / 2 + copies;
  const trial = { kind: "amp" } as const;
  return {
    kind: "amp",
    title: say(TITLE),
    of: say(STEP_PEAK),
    now,
    changed: { ...band, low: Math.min(band.low, least) },
    formula: "A − H/2 + U·(1 − H/(2·A)) + P/2 + I/2",
    symbols: [
      { symbol: "A", meaning: t("saved activations as they are"), value: size.activations, unit: "bytes" },
      ...besideSymbol(situation.beside),
      {
        symbol: "H",
        meaning: t("float32 activations of layers that autocast runs in 16 bits"),
        value: 2 * halved,
        unit: "bytes",
      },
      {
        symbol: "P",
        meaning: t("weights of which autocast keeps 16-bit copies for the step"),
        value: 2 * weights,
        unit: "bytes",
      },
      { symbol: "I", meaning: t("the input, of which a 16-bit copy is kept"), value: size.inputs, unit: "bytes" },
    ],
    notes: [
      t("Only activations shrink: weights, gradients and the optimizer's state stay in float32."),
      t(
        "Softmax, layer norms and losses stay in float32, and what the model's own code computes may; the lower bound takes all of it for halved.",
      ),
      ...timeNote(context.computeCapability),
      t("With float16 use torch.cuda.amp.GradScaler, or small gradients become 0."),
      ...besideNote(situation),
    ],
    verify: { kind: "run", trial },
    ...measuredWith(situation, trial),
  };
};

function timeNote(capability: string | undefined): string[] {
  if (capability === undefined)
    return [t("Time is saved only on a GPU with tensor cores (compute capability 7.0 on).")];
  return Number(capability) >= 7
    ? [t("This GPU has tensor cores, so a step may also take less time.")]
    : [t("This GPU has no tensor cores: memory is saved, time is not.")];
}
