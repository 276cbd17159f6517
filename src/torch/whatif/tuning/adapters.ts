/** LoRA: small adapters are trained beside frozen weights, which may be packed in 4 bits (QLoRA). Sizes are bytes. */

import { listed, phrase, say, t } from "../../../words/t.ts";
import type { LayerAccount, RootAccount, SavedActivation } from "../../model/model.ts";
import type { Estimate, Refusal, WhatIf } from "../model.ts";
import { type Estimator, exactly, refusal, type Situation, within } from "../situation.ts";
import { elementsOf, isLinear, shownInputs, sidesOf, trainedBytes } from "./linear.ts";

type Kind = "lora" | "lora+4bit";

export const TITLES = {
  lora: phrase("LoRA adapters beside frozen weights"),
  "lora+4bit": phrase("LoRA adapters beside weights in 4 bits (QLoRA)"),
} as const;

/** PEFT's default for `r`. Its adapters are float32. */
const USUAL_RANK = 8;
const FLOAT = 4;
const MOST_RANK = 4096;

/** What PEFT adapts by itself (TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING of its utils/constants.py). */
const TARGETS = "q_proj v_proj|query value|query_proj value_proj|query_key_value|c_attn|qkv_proj|Wqkv|q v".split("|");
const TARGETS_OF: Readonly<Record<string, string>> = {
  phi: "q_proj v_proj fc1 fc2",
  deberta: "in_proj",
  nemotron_h: "q_proj k_proj v_proj o_proj",
};

interface Targets {
  readonly names: readonly string[];
  readonly layers: readonly LayerAccount[];
}

export const lora: Estimator = (situation, choice) => {
  const rank = situation.root.tuning?.adapters[0]?.rank;
  return rank === undefined
    ? withAdapters(situation, "lora", choice, exactly(0))
    : refused("lora", t("The model has LoRA adapters already, of rank {0}.", rank));
};

export const lora4bit: Estimator = (situation, choice) => {
  const { adapters = [], packed = [] } = situation.root.tuning ?? {};
  const saved = savedByPacking(situation.root);
  if (packed.length > 0 || saved.bytes <= 0) {
    return refused("lora+4bit", t("No weight was found that could be packed and is not yet."));
  }
  return adapters.length > 0
    ? estimateOf(situation, "lora+4bit", undefined, USUAL_RANK, saved)
    : withAdapters(situation, "lora+4bit", choice, saved);
};

const refused = (kind: Kind, reason: string): Refusal => refusal(kind, say(TITLES[kind]), reason);

function withAdapters(situation: Situation, kind: Kind, choice: number | undefined, packed: Estimate) {
  const targets = targetsOf(situation.root);
  return targets === undefined
    ? refused(kind, t("No layer was found that PEFT adapts by default, such as q_proj and v_proj."))
    : estimateOf(situation, kind, targets, choice ?? USUAL_RANK, packed);
}

function targetsOf({ layers, tuning }: RootAccount): Targets | undefined {
  const type = tuning?.modelType ?? "";
  const own = Object.hasOwn(TARGETS_OF, type) ? TARGETS_OF[type] : undefined;
  for (const group of own === undefined ? TARGETS : [own]) {
    const names = group.split(" ");
    const found = layers.filter((layer) => isLinear(layer) && names.includes(layer.name.replace(/^.*\./, "")));
    if (found.length > 0) return { names, layers: found };
  }
  return undefined;
}

/**
 * NF4 of bitsandbytes, in which 64 elements share a scale: float32 at the least that is saved, else a byte, and 256 of
 * them share one. As transformers has it, all linear layers but the last, which gives the answer.
 */
function savedByPacking({ layers }: RootAccount): Estimate {
  let [nested, plain] = [0, 0];
  for (const { parameters } of layers.filter((one) => isLinear(one) && !/(?:^|\.)lora_/.test(one.name)).slice(0, -1)) {
    // What is another layer's too is counted there, and packed by nobody.
    for (const { shape, bytes } of parameters.filter((one) => one.shape.length === 2 && one.bytes > 0)) {
      const elements = elementsOf(shape);
      const scales = Math.ceil(elements / 64);
      // The 16 values that 4 bits stand for are kept for each weight; of packed scales the mean, too.
      const left = bytes - Math.ceil(elements / 2) - 16 * FLOAT;
      plain += left - FLOAT * scales;
      nested += left - scales - FLOAT * Math.ceil(scales / 256) - FLOAT;
    }
  }
  return { bytes: nested, low: nested, high: plain };
}

/** @param targets undefined: the adapters that are there stay as they are */
function estimateOf(
  { root, size, account }: Situation,
  kind: Kind,
  targets: Targets | undefined,
  asked: number,
  packed: Estimate,
): WhatIf {
  const { names = [], layers = [] } = targets ?? {};
  const sides = layers.map(sidesOf);
  const most = Math.min(MOST_RANK, ...sides.map((pair) => Math.max(1, Math.min(...pair))));
  const rank = within(asked, 1, most);
  const { parameters, buffers, gradients, optimizer } = root.total;
  const trained = trainedBytes(root.layers);
  const adapters = targets === undefined ? trained : sides.reduce((sum, [a, b]) => sum + rank * (a + b) * FLOAT, 0);
  const frozen = parameters + buffers - (targets === undefined ? trained : 0);
  const other = account.optimizers.reduce((sum, one) => sum + one.other, 0);
  // Where no step of the optimizer was seen: as Adam's, at the most.
  const known = optimizer === undefined ? undefined : exactly(trained === 0 ? 0 : (optimizer + other) / trained);
  const state = known ?? { bytes: 2, low: 0, high: 2 };
  const saved = targets === undefined ? exactly(size.activations) : savedWith(root, layers, rank, size.activations);
  const before = parameters + buffers + (gradients ?? trained) + size.activations;
  const each = (figure: (which: keyof Estimate) => number): Estimate => ({
    bytes: figure("bytes"),
    low: figure("low"),
    high: figure("high"),
  });
  const bits = kind === "lora+4bit";
  const quoted = names.map((name) => `"${name}"`).join(", ");
  return {
    kind,
    title: say(TITLES[kind]),
    of: t("weights, gradients, optimizer state and saved activations"),
    ...(targets === undefined ? {} : { choice: { name: t("rank"), value: rank, least: 1, most } }),
    now: each((which) => before + state[which] * trained),
    changed: each((which) => frozen - packed[which] + adapters * (2 + state[which]) + saved[which]),
    formula: "W + P·(2 + s) + A",
    symbols: [
      { symbol: "W", meaning: t("frozen weights and buffers"), value: frozen - packed.bytes, unit: "bytes" },
      { symbol: "P", meaning: t("adapters: rank × (inputs + outputs), float32"), value: adapters, unit: "bytes" },
      { symbol: "s", meaning: t("optimizer state for each trained byte"), value: state.bytes, unit: "count" },
      { symbol: "A", meaning: t("saved activations with the change"), value: saved.bytes, unit: "bytes" },
    ],
    notes: [
      ...(targets === undefined
        ? []
        : [t("Adapters on {0}, PEFT's default: {1} layers.", listed(names), layers.length)]),
      ...(bits ? [t("NF4 of bitsandbytes, blocks of 64. The upper bound is without packed scales.")] : []),
    ],
    verify: {
      kind: "edit",
      code: [
        ...(bits
          ? ['BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True)']
          : []),
        ...(targets === undefined ? [] : [`get_peft_model(model, LoraConfig(r=${rank}, target_modules=[${quoted}]))`]),
      ].join("\n"),
    },
  };
}

/** What a frozen model and its adapters save. */
function savedWith(root: RootAccount, adapted: readonly LayerAccount[], rank: number, activations: number): Estimate {
  const [words] = shownInputs(root);
  const vectors =
    words === undefined ? 0 : elementsOf(/int/.test(words.dtype) ? words.shape : words.shape.slice(0, -1));
  let [bytes, low, high] = [activations, activations, activations];
  for (const layer of root.layers) {
    const ofIts = layer.activations.filter(({ part }) => part === "layer");
    if (adapted.includes(layer)) {
      const between = vectors * rank * FLOAT;
      bytes += between;
      low += between;
      // Where weights have 16 bits, each adapter may keep its input in 32.
      const copied = layer.parameters.every(({ dtype }) => dtype !== "float32");
      high += between + (copied ? vectors * sidesOf(layer)[0] * FLOAT : 0);
    } else if (layer.own.parameters > 0) {
      low -= total(ofIts);
      if (!adapted.some((target) => sharesInput(layer, target))) bytes -= onlyForWeights(layer, ofIts);
    }
  }
  return { bytes: Math.max(0, bytes), low: Math.max(0, low), high };
}

const total = (saved: readonly SavedActivation[]): number => saved.reduce((sum, { bytes }) => sum + bytes, 0);

/** Of a linear layer its input. Norms of transformers that are written out keep what they multiply by their weight. */
function onlyForWeights(layer: LayerAccount, saved: readonly SavedActivation[]): number {
  const wide = (width: number | undefined) => saved.filter(({ shape }) => shape.at(-1) === width);
  if (isLinear(layer)) return total(wide(sidesOf(layer)[0]));
  if (!/RMSNorm$/.test(layer.type) || layer.type.startsWith("torch.")) return 0;
  return total(wide(layer.parameters[0]?.shape[0]).slice(1).slice(-1));
}

/** An adapted layer beside it, further on and with as many inputs, takes the same, which is counted with the first. */
const sharesInput = (layer: LayerAccount, target: LayerAccount): boolean =>
  target.parent === layer.parent && target.index > layer.index && sidesOf(target)[0] === sidesOf(layer)[0];
