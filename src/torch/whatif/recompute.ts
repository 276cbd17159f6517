/** Computing activations again in backward instead of keeping them: checkpoints, and one part of the batch at a time. */

import { phrase, say, t } from "../../words/t.ts";
import { ownersOf } from "../model/chain.ts";
import type { LayerChain } from "../model/model.ts";
import { besideRatio, checkpointed, chunked, gradientsOfOne, meansOf } from "./chainMemory.ts";
import type { FormulaSymbol } from "./model.ts";
import {
  besideNote,
  type Estimator,
  estimated,
  measuredWith,
  refusal,
  type Situation,
  STEP_PEAK,
  within,
} from "./situation.ts";

const MOST = 1000;
const NO_CHAIN = phrase(
  "No chain of layers was found: the model has no nn.Sequential of two layers or more whose layers were seen running one after the other.",
);

const CHECKPOINT = phrase("Activation checkpointing");

export const checkpointing: Estimator = (situation, choice) => {
  const { chain } = situation.root;
  if (chain === undefined) return refusal("checkpoint", say(CHECKPOINT), say(NO_CHAIN));
  if (isCheckpointed(situation)) return refusal("checkpoint", say(CHECKPOINT), t("The model is checkpointed already."));
  const { n, x, y } = meansOf(chain);
  const most = Math.min(n, MOST);
  const ratio = ratioOf(situation, chain);
  const every = within(choice ?? bestEvery(chain, most, ratio), 1, most);
  const { held, kept, again, output, beside } = checkpointed(chain, every, ratio);
  const trial = { kind: "checkpoint", every } as const;
  return {
    kind: "checkpoint",
    title: say(CHECKPOINT),
    of: say(STEP_PEAK),
    choice: { name: t("layers in a group"), value: every, least: 1, most },
    now: situation.now,
    changed: estimated(situation, held, gradientsOfOne(chain)),
    formula: t("K + R + 2·O + E + U, at the layer where it is the most"),
    symbols: [
      bytes("K", t("inputs of the groups up to the layer's own, which are kept"), kept),
      bytes("R", t("what its group saves up to this layer when it is computed again"), again),
      bytes("O", t("the output of its group, computed again; its gradient is as large"), output),
      bytes("E", t("saved by other layers and after the model"), chain.elsewhere),
      ...besideLayer(situation, beside),
    ],
    textbook: { formula: "X·N/M + X·(M − 1) + Y·M", bytes: (x * n) / every + x * (every - 1) + y * every },
    notes: [
      t("Each group's forward is computed twice: a training step takes up to a third longer."),
      t(
        "Layers with random numbers (Dropout) draw the same ones again; batch norms must not count a batch twice, which torch.utils.checkpoint leaves to you.",
      ),
      ...besideNote(situation),
    ],
    verify: { kind: "run", trial },
    ...measuredWith(situation, trial),
  };
};

/** The smallest peak; of several, the one that computes least again is as good, so the first is taken. */
function bestEvery(chain: LayerChain, most: number, ratio: number): number {
  let best = { every: 1, held: Infinity };
  for (let every = 1; every <= most; every++) {
    const { held } = checkpointed(chain, every, ratio);
    if (held < best.held) best = { every, held };
  }
  return best.every;
}

const NANO = phrase("Nano-batches: one part of the batch at a time through each layer");
const USUAL_CHUNKS = 4;

export const nanoBatching: Estimator = (situation, choice) => {
  const { root, size } = situation;
  const { chain } = root;
  if (chain === undefined) return refusal("nano-batch", say(NANO), say(NO_CHAIN));
  if (isCheckpointed(situation)) return refusal("nano-batch", say(NANO), t("The model is checkpointed already."));
  const most = Math.min(size.batch ?? MOST, MOST);
  if (most < 2) return refusal("nano-batch", say(NANO), t("The batch is a single sample; it cannot be cut."));
  const inChain = ownersOf(
    chain.layers.map(({ layer }) => layer),
    root.layers,
  );
  const norm = root.layers.find(({ index, type }) => inChain.has(index) && /\.(?:Sync)?BatchNorm\dd$/.test(type));
  if (norm !== undefined) {
    return refusal(
      "nano-batch",
      say(NANO),
      t("{0} is a batch norm: it needs the whole batch for its statistics.", norm.name),
    );
  }
  const chunks = within(choice ?? USUAL_CHUNKS, 2, most);
  const { held, kept, whole, inside, beside } = chunked(chain, chunks, ratioOf(situation, chain));
  const { n, x, y } = meansOf(chain);
  const trial = { kind: "nano-batch", chunks } as const;
  return {
    kind: "nano-batch",
    title: say(NANO),
    of: say(STEP_PEAK),
    choice: { name: t("parts of the batch"), value: chunks, least: 2, most },
    now: situation.now,
    changed: estimated(situation, held, gradientsOfOne(chain)),
    formula: t("K + W + E + (L + U) / C, at the layer where it is the most"),
    symbols: [
      bytes("K", t("inputs of the layers up to this one, which are kept"), kept),
      bytes("W", t("gradients of this layer's input and output, which are there whole"), whole),
      bytes("E", t("saved by other layers and after the model"), chain.elsewhere),
      bytes("L", t("what this layer saves and returns for the whole batch"), inside),
      ...besideLayer(situation, beside),
      { symbol: "C", meaning: t("parts of the batch"), value: chunks, unit: "count" },
    ],
    textbook: { formula: "N·X + Y/C", bytes: n * x + y / chunks },
    notes: [
      t("Each layer's forward is computed twice, on smaller pieces: a step takes a third longer or more."),
      t("It does not fit layers whose result depends on the whole batch, such as batch norms in training."),
      ...besideNote(situation),
    ],
    verify: { kind: "run", trial },
    ...measuredWith(situation, trial),
  };
};

/** 0 where no peak was measured: then only saved activations are counted. */
function ratioOf({ now, beside }: Situation, chain: LayerChain): number {
  return beside === undefined ? 0 : besideRatio(chain, now.bytes);
}

function besideLayer(situation: Situation, value: number): FormulaSymbol[] {
  return situation.beside === undefined
    ? []
    : [bytes("U", t("what backward needs besides in this layer, by its size and the measured peak"), value)];
}

function isCheckpointed({ root, size }: Situation): boolean {
  return root.steps.some(({ batch, checkpointed }) => batch === size.batch && checkpointed);
}

function bytes(symbol: string, meaning: string, value: number): FormulaSymbol {
  return { symbol, meaning, value, unit: "bytes" };
}
