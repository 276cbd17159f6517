/** Activation functions that write their result over their input. */

import { phrase, say, t } from "../../words/t.ts";
import type { LayerAccount, RootAccount } from "../model/model.ts";
import { besideNote, type Estimator, estimated, measuredWith, refusal, STEP_PEAK } from "./situation.ts";

const TITLE = phrase("In-place activation functions");

/** Their backward needs the input, or in place the result, which the next layer saves too. */
const SAVES_INPUT = /\.(?:LeakyReLU|ReLU6|Hardtanh|ELU|CELU|SELU)$/;
/** Their backward needs the result or a mask only: in place, nothing that is saved goes. */
const SAVES_RESULT = /\.(?:ReLU|Threshold|Dropout\w*|AlphaDropout|FeatureAlphaDropout)$/;

export const inPlace: Estimator = (situation) => {
  const { root, now, beside } = situation;
  const able = root.layers.filter(
    ({ type, config }) => (SAVES_INPUT.test(type) || SAVES_RESULT.test(type)) && !/inplace=True/.test(config),
  );
  if (able.length === 0) {
    return refusal(
      "in-place",
      say(TITLE),
      t("No layer was found that could work in place and does not do so already."),
    );
  }
  const going = able
    .filter(({ type }) => SAVES_INPUT.test(type))
    .reduce((sum, layer) => sum + savedTwice(layer, root), 0);
  const passing = able.reduce((most, layer) => Math.max(most, savedBy(layer)), 0);
  const then = now.bytes - going;
  const band = estimated(situation, then, 0);
  const trial = { kind: "in-place" } as const;
  return {
    kind: "in-place",
    title: say(TITLE),
    of: say(STEP_PEAK),
    now,
    changed: {
      bytes: then,
      low: Math.max(0, Math.min(band.low, then - (beside === undefined ? 0 : passing))),
      // Where something else still needs the input, nothing goes.
      high: now.high,
    },
    formula: "A + U − S",
    symbols: [
      { symbol: "A + U", meaning: t("the step's peak as it is"), value: now.bytes, unit: "bytes" },
      {
        symbol: "S",
        meaning: t("inputs that only these layers keep, while the next layer keeps the result"),
        value: going,
        unit: "bytes",
      },
      { symbol: "layers", meaning: t("layers that could work in place"), value: able.length, unit: "count" },
    ],
    notes: [
      t(
        "ReLU and Dropout keep only their result or a mask: in place they save one tensor while they run, at the most the lower bound.",
      ),
      t(
        "A layer can work in place only where nothing else needs its input; PyTorch's own error says where that is not so.",
      ),
      ...besideNote(situation),
    ],
    verify: { kind: "run", trial },
    ...measuredWith(situation, trial),
  };
};

function savedBy({ activations }: LayerAccount): number {
  return activations.filter(({ part }) => part === "layer").reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What the layer keeps of its input, where the layer after it keeps a tensor of that size: the result. */
function savedTwice(layer: LayerAccount, { layers }: RootAccount): number {
  const own = layer.activations.find(({ part, bytes }) => part === "layer" && bytes > 0);
  if (own === undefined) return 0;
  const next = layers.slice(layer.index + 1).find(({ activations }) => activations.length > 0);
  const kept = next?.activations.some(({ bytes, part }) => part === "layer" && bytes === own.bytes) ?? false;
  return kept ? own.bytes : 0;
}
