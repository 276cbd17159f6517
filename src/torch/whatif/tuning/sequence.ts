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
  const known = sequenceOf(root);
  const length = known?.from === "input" ? known.length : 0;
  if (length === 0 || isAlsoAnother(root, length, size.batch)) {
    return refusal(
      "sequence",
      say(SEQUENCE),
      length === 0
        ? t("The model's input has no length that is known to be a sequence's.")
        : t(
            "{0} is also another size in this model. Run it at a length that is none, to tell what grows with it.",
            length,
          ),
    );
  }
  const grown = root.layers.map(({ activations }) => grownBy(activations, length, size.batch ?? 1));
  const [fixed = 0, linear = 0, square = 0] = [0, 1, 2].map((power) => sum(grown.map((one) => one[power] ?? 0)));
  const most = Math.min(MOST, Math.max(USUAL_MOST * length, choice ?? 0));
  const wanted = within(choice ?? 2 * length, 1, most);
  const ratio = wanted / length;
  const at = ([c = 0, l = 0, q = 0]: readonly number[]) => c + l * ratio + q * ratio ** 2;
  const saved = at([fixed, linear, square]);
  const besides = [beside, beside * (square > 0 ? ratio ** 2 : ratio)];
  const error = situation.beside === undefined ? 0 : ERROR * now.bytes;
  const positions = root.tuning?.positions ?? wanted;
  return {
    kind: "sequence",
    title: say(SEQUENCE),
    of: say(STEP_PEAK),
    choice: { name: t("length"), value: wanted, least: 1, most },
    now,
    changed: {
      bytes: saved * (1 + beside / Math.max(1, size.activations)),
      low: Math.max(0, saved + Math.min(...besides) - error),
      // What one layer's backward needs may be hidden below the peak as it is, and rise above it.
      high: saved + Math.max(...besides) + error + grown.reduce((most, one) => Math.max(most, at(one)), 0),
    },
    formula: "(C + L·r + Q·r²)·(1 + U/A)",
    symbols: [
      { symbol: "r", meaning: t("length, divided by {0}", length), value: ratio, unit: "count" },
      { symbol: "C", meaning: t("saved activations that do not grow with the length"), value: fixed, unit: "bytes" },
      { symbol: "L", meaning: t("those that grow with it"), value: linear, unit: "bytes" },
      { symbol: "Q", meaning: t("those that grow with its square"), value: square, unit: "bytes" },
      { symbol: "A", meaning: t("saved activations as they are"), value: size.activations, unit: "bytes" },
      ...besideSymbol(situation.beside),
    ],
    notes: [
      ...(wanted <= positions ? [] : [t("The model takes at most {0}, as it says.", positions)]),
      ...besideNote(situation),
    ],
    verify: { kind: "edit", code: `tokenizer(texts, truncation=True, max_length=${wanted})` },
  };
};

const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0);

/** Saved bytes by how many dimensions are the length. */
function grownBy(activations: readonly SavedActivation[], length: number, batch: number): readonly number[] {
  const grown: [number, number, number] = [0, 0, 0];
  for (const saved of activations) {
    if (saved.part !== "input") grown[powerOf(saved, length, batch)] += saved.bytes;
  }
  return grown;
}

/** Samples and words may be one dimension, and a loss may leave a word out. */
function powerOf({ shape }: SavedActivation, length: number, batch: number): 0 | 1 | 2 {
  const lengths = [length, length - 1];
  const flat = batch > 1 && lengths.some((one) => one > 1 && shape[0] === batch * one) ? 1 : 0;
  const found = shape.filter((size) => size > 1 && lengths.includes(size)).length + flat;
  return found > 1 ? 2 : found === 1 ? 1 : 0;
}

/** A width of a layer, the batch, or what may be an attention head's size. */
function isAlsoAnother({ layers }: RootAccount, length: number, batch = 1): boolean {
  const widths = new Set(
    layers.flatMap((layer) =>
      isLinear(layer) ? sidesOf(layer) : layer.parameters.map(({ shape }) => shape.at(-1) ?? 0),
    ),
  );
  const mayBeHeads = ({ shape }: SavedActivation) =>
    shape.filter((size) => size === length).length > 1 &&
    shape.some(
      (size, at) => size !== length && widths.has((at === 0 && shape.length === 3 ? size / batch : size) * length),
    );
  return length === batch || widths.has(length) || layers.some(({ activations }) => activations.some(mayBeHeads));
}
