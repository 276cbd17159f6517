/** Weights that are a matrix, and what of a model is trained. */
import type { LayerAccount, RootAccount } from "../../model/model.ts";

export const isLinear = ({ type, parameters }: LayerAccount): boolean =>
  /(?:Linear\w*|Conv1D)$/.test(type) && parameters.some(({ shape }) => shape.length === 2);

/** Inputs and outputs. */
export function sidesOf({ type, config, parameters }: LayerAccount): readonly [number, number] {
  // A packed weight has another shape than it stands for.
  const said = /in_features=(\d{1,12}), out_features=(\d{1,12})/.exec(config);
  if (said !== null) return [Number(said[1]), Number(said[2])];
  const [rows = 0, columns = 0] = parameters.find(({ shape }) => shape.length === 2)?.shape ?? [];
  return type.endsWith("Conv1D") ? [rows, columns] : [columns, rows];
}

/** No tensor has more. */
const MOST_ELEMENTS = 2 ** 48;

export const elementsOf = (shape: readonly number[]): number =>
  shape.reduce((product, size) => Math.min(MOST_ELEMENTS, product * size), 1);

export const trainedBytes = (layers: RootAccount["layers"]): number =>
  layers
    .flatMap(({ parameters }) => parameters)
    .reduce((sum, { trainable, bytes }) => sum + (trainable ? bytes : 0), 0);

/** Those of the step that the layers show. */
export const shownInputs = ({ steps, shownStep }: RootAccount) =>
  steps.find(({ step }) => step === shownStep)?.inputs ?? [];
