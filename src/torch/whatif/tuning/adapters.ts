/** LoRA: small adapters are trained beside frozen weights, which may be packed in 4 bits (QLoRA). Sizes are bytes. */

import { listed, phrase, say, t } from "../../../words/t.ts";
import type { LayerAccount, RootAccount, SavedActivation } from "../../model/model.ts";
import type { Estimate, FormulaSymbol, Refusal, WhatIf } from "../model.ts";
import { type Estimator, exactly, refusal, type Situation, within } from "../situation.ts";
import { elementsOf, isLinear, shownInputs, sidesOf, trainedBytes } from "./linear.ts";

export const LORA = phrase("LoRA adapters beside frozen weights");
export const LORA_4BIT = phrase("LoRA adapters beside weights in 4 bits (QLoRA)");

/** PEFT's default for `r`. Its adapters are float32. */
const USUAL_RANK = 8;
const FLOAT = 4;
const MOST_RANK = 4096;

/** What PEFT adapts by itself (TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING of its utils/constants.py). */
const TARGETS: readonly (readonly string[])[] = [
  ["q_proj", "v_proj"],
  ["query", "value"],
  ["query_proj", "value_proj"],
  ["query_key_value"],
  ["c_attn"],
  ["qkv_proj"],
  ["Wqkv"],
  ["q", "v"],
];
const TARGETS_OF: Readonly<Record<string, readonly string[]>> = {
  phi: ["q_proj", "v_proj", "fc1", "fc2"],
  deberta: ["in_proj"],
  nemotron_h: ["q_proj", "k_proj", "v_proj", "o_proj"],
};

/** NF4 of bitsandbytes: 64 elements share a float32 scale; packed, 256 scales share one and take a byte each. */
const BLOCK = 64;
const SCALES_BLOCK = 256;
/** The values that 4 bits stand for. */
const TABLE = 16 * FLOAT;

interface Targets {
  readonly names: readonly string[];
  readonly layers: readonly LayerAccount[];
}

interface Packed {
  readonly unpacked: number;
  readonly bytes: Estimate;
}

export const lora: Estimator = (situation, choice) => {
  const rank = situation.root.tuning?.adapters[0]?.rank;
  if (rank === undefined) return withAdapters(situation, "lora", choice);
  return refusal("lora", say(LORA), t("The model has LoRA adapters already, of rank {0}.", rank));
};

export const lora4bit: Estimator = (situation, choice) => {
  const { adapters = [], packed = [] } = situation.root.tuning ?? {};
  const weights = packable(situation.root);
  if (packed.length > 0 || weights.length === 0) {
    return refusal("lora+4bit", say(LORA_4BIT), t("No weight was found that could be packed and is not yet."));
  }
  const four = packedOf(weights);
  if (adapters.length === 0) return withAdapters(situation, "lora+4bit", choice, four);
  return estimateOf(situation, "lora+4bit", { names: [], layers: [] }, USUAL_RANK, four);
};

function withAdapters(
  situation: Situation,
  kind: "lora" | "lora+4bit",
  choice: number | undefined,
  packed?: Packed,
): WhatIf | Refusal {
  const targets = targetsOf(situation.root);
  if (targets !== undefined) return estimateOf(situation, kind, targets, choice ?? USUAL_RANK, packed);
  return refusal(
    kind,
    say(kind === "lora" ? LORA : LORA_4BIT),
    t("No layer was found that PEFT adapts by default, such as q_proj and v_proj."),
  );
}

const lastName = ({ name }: LayerAccount): string => name.slice(name.lastIndexOf(".") + 1);

function targetsOf({ layers, tuning }: RootAccount): Targets | undefined {
  const type = tuning?.modelType ?? "";
  const own = Object.hasOwn(TARGETS_OF, type) ? TARGETS_OF[type] : undefined;
  const linear = layers.filter(isLinear);
  for (const names of own === undefined ? TARGETS : [own]) {
    const found = linear.filter((layer) => names.includes(lastName(layer)));
    if (found.length > 0) return { names, layers: found };
  }
  return undefined;
}

/** As transformers has it: all but the last layer, which gives the answer, and but what is another layer's too. */
function packable({ layers }: RootAccount) {
  const ofAdapters = /(?:^|\.)lora_/;
  return layers
    .filter((layer) => isLinear(layer) && !ofAdapters.test(layer.name))
    .slice(0, -1)
    .flatMap(({ parameters }) => parameters)
    .filter(({ shape, bytes }) => shape.length === 2 && bytes > 0);
}

function packedOf(weights: ReturnType<typeof packable>): Packed {
  let [unpacked, nested, plain] = [0, 0, 0];
  for (const { shape, bytes } of weights) {
    const elements = elementsOf(shape);
    const scales = Math.ceil(elements / BLOCK);
    const values = Math.ceil(elements / 2) + TABLE;
    unpacked += bytes;
    plain += values + FLOAT * scales;
    // The scales' mean is kept besides.
    nested += values + scales + FLOAT * Math.ceil(scales / SCALES_BLOCK) + FLOAT;
  }
  return { unpacked, bytes: { bytes: nested, low: nested, high: plain } };
}

function estimateOf(
  { root, size, account }: Situation,
  kind: "lora" | "lora+4bit",
  targets: Targets,
  asked: number,
  packed: Packed | undefined,
): WhatIf {
  const kept = targets.layers.length === 0;
  const sides = targets.layers.map(sidesOf);
  const most = Math.min(MOST_RANK, ...sides.map(([inside, out]) => Math.max(1, Math.min(inside, out))));
  const rank = within(asked, 1, most);
  const { parameters, buffers, gradients, optimizer } = root.total;
  const weights = parameters + buffers;
  const trained = trainedBytes(root.layers);
  const added = sides.reduce((sum, [inside, out]) => sum + rank * (inside + out) * FLOAT, 0);
  const adapters = kept ? trained : added;
  const other = account.optimizers.reduce((sum, one) => sum + one.other, 0);
  const state = stateOf(optimizer === undefined ? undefined : optimizer + other, trained);
  const saved = savedWith(root, targets, rank, size.activations);
  const four = packed?.bytes ?? exactly(0);
  const rest = weights - (packed?.unpacked ?? 0) + added + adapters;
  const before = weights + (gradients ?? trained) + size.activations;
  const at = (which: keyof Estimate) => rest + four[which] + state[which] * adapters + saved[which];
  const then = (which: keyof Estimate) => before + state[which] * trained;
  return {
    kind,
    title: say(kind === "lora" ? LORA : LORA_4BIT),
    of: t("weights, gradients, optimizer state and saved activations"),
    ...(kept ? {} : { choice: { name: t("rank"), value: rank, least: 1, most } }),
    now: { bytes: then("bytes"), low: then("low"), high: then("high") },
    changed: { bytes: at("bytes"), low: at("low"), high: at("high") },
    formula: `W${packed === undefined ? "" : " − F + Q"}${kept ? "" : " + P"} + P·(1 + s) + A`,
    symbols: [
      bytes("W", t("weights and buffers as they are"), weights),
      ...(packed === undefined
        ? []
        : [
            bytes("F", t("weights of all linear layers but the last"), packed.unpacked),
            bytes("Q", t("the same in 4 bits, with their scales"), four.bytes),
          ]),
      bytes("P", t("adapters in float32: rank × (inputs + outputs) of each layer"), adapters),
      { symbol: "s", meaning: t("optimizer state for each byte that is trained"), value: state.bytes, unit: "count" },
      bytes("A", t("saved activations, without what only gradients of frozen weights need"), saved.bytes),
    ],
    notes: [
      ...(kept
        ? []
        : [
            t(
              "Adapters on {0} as PEFT has it by default, {1} layers in all.",
              listed(targets.names),
              targets.layers.length,
            ),
          ]),
      ...(packed === undefined
        ? []
        : [
            t(
              "NF4 of bitsandbytes with blocks of 64. The upper bound is without packed scales. A layer's weight is unpacked while it runs.",
            ),
          ]),
    ],
    verify: { kind: "edit", code: codeOf(rank, targets.names, packed !== undefined) },
  };
}

/** For each byte that is trained. Where no step of the optimizer was seen: as Adam's, at the most. */
function stateOf(held: number | undefined, trained: number): Estimate {
  return held === undefined ? { bytes: 2, low: 0, high: 2 } : exactly(trained === 0 ? 0 : held / trained);
}

/** What a frozen model and its adapters save. */
function savedWith(root: RootAccount, { layers }: Targets, rank: number, activations: number): Estimate {
  if (layers.length === 0) return exactly(activations);
  const adapted = new Set(layers.map(({ index }) => index));
  const [words] = shownInputs(root);
  const vectors =
    words === undefined ? 0 : elementsOf(/int/.test(words.dtype) ? words.shape : words.shape.slice(0, -1));
  const saved = { bytes: activations, low: activations, high: activations };
  for (const layer of root.layers) {
    const ofIts = layer.activations.filter(({ part }) => part === "layer");
    if (adapted.has(layer.index)) {
      const between = vectors * rank * FLOAT;
      // Where weights have 16 bits, each adapter may keep its input in 32.
      const copy = layer.parameters.some(({ dtype }) => dtype === "float32") ? 0 : vectors * sidesOf(layer)[0] * FLOAT;
      saved.bytes += between;
      saved.low += between;
      saved.high += between + copy;
    } else if (layer.own.parameters > 0) {
      saved.low -= ofIts.reduce((sum, one) => sum + one.bytes, 0);
      if (!layers.some((target) => sharesInput(layer, target))) saved.bytes -= onlyForWeights(layer, ofIts);
    }
  }
  return { ...saved, bytes: Math.max(0, saved.bytes), low: Math.max(0, saved.low) };
}

/** Of a linear layer its input. Norms of transformers that are written out keep what they multiply by their weight. */
function onlyForWeights(layer: LayerAccount, saved: readonly SavedActivation[]): number {
  const wide = (width: number | undefined) => saved.filter(({ shape }) => shape.at(-1) === width);
  if (isLinear(layer)) return wide(sidesOf(layer)[0]).reduce((sum, { bytes }) => sum + bytes, 0);
  if (!/RMSNorm$/.test(layer.type) || layer.type.startsWith("torch.")) return 0;
  const [, ...later] = wide(layer.parameters[0]?.shape[0]);
  return later.at(-1)?.bytes ?? 0;
}

/** An adapted layer beside it, further on and with as many inputs, takes the same, which is counted with the first. */
const sharesInput = (layer: LayerAccount, target: LayerAccount): boolean =>
  target.parent === layer.parent && target.index > layer.index && sidesOf(target)[0] === sidesOf(layer)[0];

function codeOf(rank: number, names: readonly string[], packed: boolean): string {
  const targets = names.map((name) => `"${name}"`).join(", ");
  return [
    ...(packed
      ? [
          'config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True)',
          "model = AutoModelForCausalLM.from_pretrained(name, quantization_config=config)",
        ]
      : []),
    ...(names.length === 0
      ? []
      : [`model = get_peft_model(model, LoraConfig(r=${rank}, target_modules=[${targets}]))`]),
  ].join("\n");
}

function bytes(symbol: string, meaning: string, value: number): FormulaSymbol {
  return { symbol, meaning, value, unit: "bytes" };
}
