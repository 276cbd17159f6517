/** Layers that several models have alike: merged, they would lie in memory once (GEMEL, NSDI 2023). */

import { phrase } from "../../words/t.ts";
import type { SharedLayer } from "../whatif/model.ts";
import type { LayerAccount, ModelAccount, TensorEntry } from "./model.ts";

export interface NamedModel {
  /** As people call it: the script it is from. */
  readonly model: string;
  readonly account: ModelAccount;
}

export const MERGING_NEEDS_TRAINING = phrase(
  "Merging layers means that the models share one set of weights: they must be trained together again, and the accuracy of each must be checked afterwards.",
);

/**
 * Layers that hold weights themselves and agree in type, hyper-parameters, shapes and dtypes across models, by what
 * merging all their copies would save, heaviest first. Copies within one model are merged only with those of others:
 * the first of one model with the first of the next, and so on.
 */
export function sharedLayers(models: readonly NamedModel[]): readonly SharedLayer[] {
  const groups = new Map<string, Copies>();
  for (const { model, account } of models) {
    const seen = new Map<string, number>();
    for (const layer of account.roots.flatMap(({ layers }) => layers)) {
      const architecture = architectureOf(layer);
      if (architecture === undefined) continue;
      const nth = seen.get(architecture.key) ?? 0;
      seen.set(architecture.key, nth + 1);
      const key = `${architecture.key}#${nth}`;
      const group = groups.get(key) ?? { layer, bytes: architecture.bytes, copies: [] };
      group.copies.push({ model, layer: layer.name });
      groups.set(key, group);
    }
  }
  return [...groups.values()]
    .filter(({ copies }) => copies.length > 1)
    .map(({ layer: { type, config }, bytes, copies }) => ({
      type,
      config,
      bytes,
      copies,
      saving: bytes * (copies.length - 1),
    }))
    .sort((a, b) => b.saving - a.saving);
}

interface Copies {
  readonly layer: LayerAccount;
  readonly bytes: number;
  readonly copies: { model: string; layer: string }[];
}

/** Undefined for a layer without weights of its own, or whose weights are another layer's. */
function architectureOf({ type, config, parameters, buffers, own }: LayerAccount) {
  const bytes = own.parameters + own.buffers;
  if (bytes === 0) return undefined;
  const tensors = (list: readonly TensorEntry[]) =>
    list.map(({ name, shape, dtype }) => [lastPart(name), shape, dtype]);
  return { key: JSON.stringify([type, config, tensors(parameters), tensors(buffers)]), bytes };
}

/** `weight` of `features.0.weight`: where in its model a layer lies does not matter. */
function lastPart(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}
