/** How a model is fine-tuned: what is trained, what is frozen or packed, how long its sequences are. Sizes are bytes. */

import { present } from "../../profile/files/jsonRecords.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import type { ModelAccount, RootAccount } from "./model.ts";

export interface Sequence {
  readonly length: number;
  /** `input`: of the step that is shown. `config`: the longest that the model takes, as its configuration says. */
  readonly from: "input" | "config";
}

export interface TuningSummary {
  readonly adapters?: { readonly bytes: number; readonly layers: number; readonly ranks: readonly number[] };
  /** Weights without gradients or state. */
  readonly frozen?: number;
  /** Weights with what is kept to unpack them. */
  readonly packed?: { readonly bytes: number; readonly kinds: readonly string[] };
  readonly packedState?: number;
  readonly checkpointing?: boolean;
  readonly sequence?: Sequence;
}

/** What is absent is not there, or not known. */
export function tuningSummary({ optimizers }: ModelAccount, root: RootAccount): TuningSummary {
  const { tuning, layers } = root;
  const frozen = layers.reduce(
    (sum, { parameters }) => sum + parameters.reduce((part, one) => part + (one.trainable ? 0 : one.bytes), 0),
    0,
  );
  const packedState = optimizers.reduce((sum, { packed = 0 }) => sum + packed, 0);
  return present({
    adapters: adaptersOf(root),
    frozen: frozen > 0 ? frozen : undefined,
    packed: packedOf(root),
    packedState: packedState > 0 ? packedState : undefined,
    checkpointing: tuning?.checkpointing,
    sequence: sequenceOf(root),
  });
}

function adaptersOf({ tuning, layers }: RootAccount): TuningSummary["adapters"] {
  if (tuning === undefined || tuning.adapters.length === 0) return undefined;
  const places = new Set(tuning.adapters.map(({ layer }) => layer));
  const ranks = [...new Set(tuning.adapters.map(({ rank }) => rank))].sort((a, b) => a - b);
  let bytes = 0;
  const inside = new Set<number>();
  // A layer comes after the one that it is in.
  for (const { index, parent = -1, name, parameters, own } of layers) {
    if (inside.has(parent) || (places.has(parent) && ofLora(name))) {
      inside.add(index);
      bytes += own.parameters;
    } else if (places.has(index)) {
      bytes += parameters.reduce((sum, one) => sum + (ofLora(one.name) ? one.bytes : 0), 0);
    }
  }
  return { bytes, layers: places.size, ranks };
}

/** `lora_A`, `lora_B` and their kin, in PEFT's layers and in others'. */
const ofLora = (name: string): boolean => name.slice(name.lastIndexOf(".") + 1).startsWith("lora_");

function packedOf({ tuning, layers }: RootAccount): TuningSummary["packed"] {
  if (tuning === undefined || tuning.packed.length === 0) return undefined;
  let bytes = 0;
  for (const { layer, parameter } of tuning.packed) {
    for (const entry of [...(layers[layer]?.parameters ?? []), ...(layers[layer]?.buffers ?? [])]) {
      if (entry.name === parameter || entry.name.startsWith(`${parameter}.`)) bytes += entry.bytes;
    }
  }
  const kinds = tuning.packed.map(({ kind, nested }) => (nested ? `${kind} (double)` : kind));
  return { bytes, kinds: [...new Set(kinds)] };
}

const WHOLE_NUMBERS = /^u?int(?:32|64)$/;

/** Words come as whole numbers, sample by sample; a table of them does too, so the model must look them up. */
export function sequenceOf({ layers, tuning, steps, shownStep }: RootAccount): Sequence | undefined {
  const input = steps.find(({ step }) => step === shownStep)?.inputs[0];
  const length = input?.shape[1];
  const words =
    input !== undefined && WHOLE_NUMBERS.test(input.dtype) && layers.some(({ type }) => /Embedding$/.test(type));
  const vectors = tuning?.modelType !== undefined && input?.shape.length === 3;
  if (length !== undefined && ((words && input?.shape.length === 2) || vectors)) return { length, from: "input" };
  return tuning?.positions === undefined ? undefined : { length: tuning.positions, from: "config" };
}

/** Each as its name and what is said of it, with how that is known. */
export function tuningFacts(account: ModelAccount, root: RootAccount): readonly (readonly [string, string])[] {
  const { adapters, frozen, packed, packedState, checkpointing, sequence } = tuningSummary(account, root);
  const facts: (readonly [string, string])[] = [];
  const exact = (name: string, bytes: number | undefined, ...more: readonly string[]) => {
    if (bytes !== undefined) facts.push([name, [t("{0} (exact)", formatBytes(bytes)), ...more].join(t(", "))]);
  };
  exact(t("LoRA adapters"), adapters?.bytes, t("LoRA rank {0}", adapters?.ranks.join(t(", ")) ?? ""));
  exact(t("Frozen weights"), frozen);
  exact(t("Packed weights"), packed?.bytes, ...(packed?.kinds ?? []));
  exact(t("Optimizer state in 8 bits"), packedState);
  if (checkpointing !== undefined) {
    facts.push([t("Gradient checkpointing"), checkpointing ? t("yes, as the model says") : t("no, as the model says")]);
  }
  if (sequence !== undefined) {
    const { length, from } = sequence;
    const says =
      from === "input" ? t("{0}, by the input's shape", length) : t("at most {0}, by its configuration", length);
    facts.push([t("Sequence length"), says]);
  }
  return facts;
}
