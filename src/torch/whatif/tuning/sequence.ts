/** Longer or shorter sequences: what grows with the length, what with its square. Sizes are bytes. */

import { phrase, say, t } from "../../../words/t.ts";
import type { RootAccount, SavedActivation } from "../../model/model.ts";
import { sequenceOf } from "../../model/tuning.ts";
import { besideNote, besideSymbol, type Estimator, refusal, STEP_PEAK, within } from "../situation.ts";
import { isLinear, sidesOf } from "./linear.ts";

export const SEQUENCE = phrase("Another sequence length");

const MOST = 2 ** 20;
/** How far the slider goes, of the length as it is. */
const USUAL_MOST = 16;
const ERROR = 0.05;

export const sequence: Estimator = (situation, choice) => {
  const { root, size, now, beside = 0 } = situation;
  const refused = (reason: string) => refusal("sequence", say(SEQUENCE), reason);
  const known = sequenceOf(root);
  if (known?.from !== "input") return refused(t("The model's input has no length that is known to be a sequence's."));
  const { length } = known;
  if (isAlsoAnother(root, length, size.batch)) {
    return refused(
      t(
        "{0} is also another size in this model, so what grows with the length cannot be told. Run it at another.",
        length,
      ),
    );
  }
  const { fixed, linear, square } = grownBy(root, length, size.batch ?? 1);
  if (linear + square === 0) return refused(t("No saved tensor was found that grows with the length."));
  const most = Math.min(MOST, Math.max(USUAL_MOST * length, root.tuning?.positions ?? 0, choice ?? 0));
  const wanted = within(choice ?? 2 * length, 1, most);
  const ratio = wanted / length;
  const saved = fixed + linear * ratio + square * ratio ** 2;
  const steepest = square > 0 ? ratio ** 2 : ratio;
  const besides = [1, steepest].map((growth) => beside * growth);
  const error = situation.beside === undefined ? 0 : ERROR * now.bytes;
  const { positions } = root.tuning ?? {};
  return {
    kind: "sequence",
    title: say(SEQUENCE),
    of: say(STEP_PEAK),
    choice: { name: t("length"), value: wanted, least: 1, most },
    now,
    changed: {
      bytes: saved + (beside * saved) / Math.max(1, size.activations),
      low: Math.max(0, saved + Math.min(...besides) - error),
      high: saved + Math.max(...besides) + error,
    },
    formula: `(C + L·N/S + Q·(N/S)²)${situation.beside === undefined ? "" : "·(1 + U/A)"}`,
    symbols: [
      { symbol: "S", meaning: t("length as it is"), value: length, unit: "count" },
      { symbol: "N", meaning: t("length"), value: wanted, unit: "count" },
      { symbol: "C", meaning: t("saved activations that do not grow with the length"), value: fixed, unit: "bytes" },
      { symbol: "L", meaning: t("those that grow with it"), value: linear, unit: "bytes" },
      { symbol: "Q", meaning: t("those that grow with its square"), value: square, unit: "bytes" },
      { symbol: "A", meaning: t("saved activations as they are"), value: size.activations, unit: "bytes" },
      ...besideSymbol(situation.beside),
    ],
    notes: [
      ...(square > 0 ? [] : [t("Attention saved nothing that grows with the square of the length.")]),
      ...(positions === undefined || wanted <= positions
        ? []
        : [t("The model takes at most {0}, as it says.", positions)]),
      ...besideNote(situation),
    ],
    verify: { kind: "edit", code: `tokenizer(texts, truncation=True, max_length=${wanted})` },
  };
};

function grownBy({ layers }: RootAccount, length: number, batch: number) {
  const grown = { fixed: 0, linear: 0, square: 0 };
  for (const saved of layers.flatMap(({ activations }) => activations)) {
    if (saved.part === "input") continue;
    const power = powerOf(saved, length, batch);
    grown[power === 0 ? "fixed" : power === 1 ? "linear" : "square"] += saved.bytes;
  }
  return grown;
}

/** How many dimensions are the length. Samples and words may be one dimension, and a loss leaves a word out. */
function powerOf({ shape }: SavedActivation, length: number, batch: number): number {
  const lengths = [length, length - 1].filter((one) => one > 1);
  const flat = batch > 1 && lengths.some((one) => shape[0] === batch * one) ? 1 : 0;
  return shape.filter((size) => lengths.includes(size)).length + flat;
}

/** A width of a layer, the batch, or what may be an attention head's size. */
function isAlsoAnother({ layers }: RootAccount, length: number, batch: number | undefined): boolean {
  const widths = new Set(
    layers.flatMap((layer) =>
      isLinear(layer) ? sidesOf(layer) : layer.parameters.map(({ shape }) => shape.at(-1) ?? 0),
    ),
  );
  if (length === batch || widths.has(length)) return true;
  return layers.some(({ activations }) =>
    activations.some(({ shape }) => {
      if (shape.filter((size) => size === length).length < 2) return false;
      const heads = shape.map((size, place) => (place === 0 && shape.length === 3 ? size / (batch ?? 1) : size));
      return heads.some((count) => count !== length && widths.has(count * length));
    }),
  );
}
