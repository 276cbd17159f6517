/** What is said of a model's shape whatever it was read from. */
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { CacheLayers } from "./model.ts";

/** The shape can always be given by hand, so that no file is a dead end. */
export const notAModel = (why: string, cause?: unknown): UserError =>
  new UserError(
    "not-a-model",
    why,
    t(
      "Name a model's config.json (transformers) or a .gguf file, or give --layers, --kv-heads and --head-size, which llama.cpp prints as n_layer, n_head_kv and n_embd_head_k.",
    ),
    { cause },
  );

export const doesNotSay = (file: string, what: string): UserError => notAModel(t("{0} does not say {1}.", file, what));

/** More than any model has, so that figures stay exact: layers, and elements or whatever is multiplied to them. */
export const MOST_LAYERS = 10_000;
export const MOST_SIZE = 2 ** 24;

/** @throws UserError `not-a-model` where there are more than any model has */
export function believableCount(count: number, file: string): number {
  if (count <= MOST_LAYERS) return count;
  throw notAModel(t("{0} has {1} layers.", file, count));
}

/** @throws UserError `not-a-model` where a layer keeps more than any does */
export function believable(layers: readonly CacheLayers[], file: string): readonly CacheLayers[] {
  const most = Math.max(...layers.flatMap(({ keys, values }) => [keys, values]));
  if (most <= MOST_SIZE) return layers;
  throw notAModel(t("{0} says of a layer that it keeps {1} elements of each token.", file, most));
}

export const keepsNothing = (file: string): UserError =>
  notAModel(t("None of the layers in {0} keeps keys and values.", file));

export const otherState = (layers: number, kinds: string): string =>
  t("{0} of the layers keep a state of another kind ({1}), which is not counted.", layers, kinds);

export const windowOfSome = (window: number): string =>
  t(
    "Some layers look back {0} tokens only, but the file does not say which: the figures are of all layers keeping all, which is the most.",
    window,
  );
