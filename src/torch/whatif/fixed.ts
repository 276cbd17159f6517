/** What a training takes whatever its batch is. Sizes are bytes. */

import { t } from "../../words/t.ts";
import type { LayerAccount, ModelAccount, RootAccount } from "../model/model.ts";
import type { TrainingContext } from "./context.ts";
import type { Estimate } from "./model.ts";

export interface FixedPart {
  /** Parameters, buffers, gradients and optimizer state of all models of the process. */
  readonly model: Estimate;
  /** Python, libraries and what else the process held at its first step; absent where it is not known. */
  readonly outside?: number;
  /** From which figures `outside` is. */
  readonly outsideHow?: string;
  /** What was taken for granted; whole sentences. */
  readonly assumed: readonly string[];
}

export function fixedPart(account: ModelAccount, root: RootAccount, context: TrainingContext): FixedPart {
  const layers = distinctLayers(account.roots);
  const total = (sizeOf: (layer: LayerAccount) => number) => layers.reduce((sum, layer) => sum + sizeOf(layer), 0);
  const weights = total(({ own }) => own.parameters + own.buffers);
  const trainable = total(({ parameters }) =>
    parameters.reduce((sum, { bytes, trainable }) => sum + (trainable ? bytes : 0), 0),
  );
  const seen = (kind: "gradients" | "optimizer") => layers.some(({ own }) => own[kind] !== undefined);
  const gradients = seen("gradients") ? total(({ own }) => own.gradients ?? 0) : trainable;
  const other = account.optimizers.reduce((sum, one) => sum + one.other, 0);
  const optimizer = seen("optimizer") ? total(({ own }) => own.optimizer ?? 0) + other : undefined;
  return {
    model: {
      bytes: weights + gradients + (optimizer ?? 0),
      low: weights + gradients + (optimizer ?? 0),
      high: weights + gradients + (optimizer ?? 2 * trainable),
    },
    ...outsidePart(root, weights, context),
    assumed: [
      ...(seen("gradients")
        ? []
        : [t("Gradients were not seen; they are taken to be as large as the trainable parameters.")]),
      ...(seen("optimizer")
        ? []
        : [t("No optimizer state was seen; it may be nothing, or twice the trainable parameters as Adam's.")]),
    ],
  };
}

/** Each once: a module may be a root of its own and part of another. */
function distinctLayers(roots: readonly RootAccount[]): readonly LayerAccount[] {
  const seen = new Set<number>();
  return roots
    .flatMap(({ layers }) => layers)
    .filter(({ parameters, buffers }) => {
      const storages = [...parameters, ...buffers].filter(({ bytes }) => bytes > 0).map(({ storage }) => storage);
      const known = storages.length > 0 && storages.every((storage) => seen.has(storage));
      for (const storage of storages) seen.add(storage);
      return !known;
    });
}

/** At the root's first step neither gradients nor the optimizer's state are there yet. */
function outsidePart(
  { steps }: RootAccount,
  weights: number,
  { availableBefore }: TrainingContext,
): Pick<FixedPart, "outside" | "outsideHow"> {
  const first = steps[0];
  const inputs = (first?.inputs ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  const without = (held: number) => Math.max(0, held - weights - inputs);
  if (first?.measure === "rss" && first.memoryBefore !== undefined) {
    return {
      outside: without(first.memoryBefore),
      outsideHow: t("its RSS at the first step, less the model and its input"),
    };
  }
  if (availableBefore === undefined || first?.memAvailable === undefined) return {};
  return {
    outside: without(availableBefore - first.memAvailable),
    outsideHow: t(
      "what became unavailable on the board until the first step, less the model and its input; other programs may have a part in it",
    ),
  };
}
