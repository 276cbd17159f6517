/** `kv-cache`: how large a language model's cache of keys and values gets, before any server runs. */
import { defined } from "../../../profile/defined.ts";
import { formatBytes, formatCount, orUnknown } from "../../../profile/text/format.ts";
import { aligned } from "../../../profile/text/table.ts";
import { printable } from "../../../profile/text/text.ts";
import { type CacheLayers, type CacheShape, cacheBytes, longestThatFits } from "../../../torch/kvCache/model.ts";
import { readCacheShape } from "../../../torch/node/readCacheShape.ts";
import { t } from "../../../words/t.ts";
import { jsonText, type Output } from "../../terminal/output.ts";
import type { KvCacheCommand } from "./kvCacheCommandLine.ts";

/** @throws UserError `not-a-model` */
export async function showKvCache(command: KvCacheCommand, stdout: Output): Promise<void> {
  const { model } = command;
  const shape = typeof model === "string" ? await readCacheShape(model) : model;
  stdout.write(command.json ? jsonText(kvCacheJson(command, shape)) : kvCacheText(command, shape));
}

const MOST_ROWS = 8;
const LEAST_LENGTH = 1_024;
/** Where neither the user nor the model says one. */
const USUAL_LONGEST = 32_768;

/** Powers of two up to the longest that the model is made for, and that itself. */
function usualLengths({ longest = USUAL_LONGEST }: CacheShape): readonly number[] {
  const lengths: number[] = [];
  for (let length = LEAST_LENGTH; length < longest; length *= 2) lengths.push(length);
  return [...lengths, longest].slice(-MOST_ROWS);
}

function kvCacheText(command: KvCacheCommand, shape: CacheShape): string {
  const { model, types, sequences, free } = command;
  const rows = (command.lengths ?? usualLengths(shape)).map((length) => [
    formatCount(length),
    ...types.map((type) => orUnknown(cacheBytes(shape, length, type), (bytes) => formatBytes(bytes * sequences))),
  ]);
  const title =
    sequences === 1
      ? t("KV cache of one sequence, by its length in tokens and the type of an element")
      : t(
          "KV cache of {0} sequences, each as long as said in tokens, by the type of an element",
          formatCount(sequences),
        );
  const fits = free === undefined ? [] : fitText(command, shape, free);
  const beyond = (command.lengths ?? []).some((length) => length > (shape.longest ?? length));
  const notes = [
    ...shape.notes,
    ...(beyond && shape.longest !== undefined
      ? [t("The model is made for {0} tokens at most, as it says.", formatCount(shape.longest))]
      : []),
    ...(types.some((type) => cacheBytes(shape, 1, type) === undefined)
      ? [t("A type with blocks of 32 elements cannot hold what these heads keep: their size is no multiple of 32.")]
      : []),
  ];
  const parts = [
    ...(typeof model === "string" ? [printable(model)] : []),
    ...shape.layers.map(layersText),
    ...notes.map((note) => printable(t("Note: {0}", note))),
    "",
    title,
    ...aligned([[t("Length"), ...types], ...rows], 1 + types.length),
    ...fits,
    "",
    t("Weights, compute buffers and what a server keeps beside it come on top: docs/ledger.md."),
  ];
  return `${parts.join("\n")}\n`;
}

function layersText({ count, keys, values, window }: CacheLayers): string {
  const kept =
    values === 0
      ? t("{0} elements of a token", formatCount(keys))
      : t("{0} elements of keys and {1} of values of a token", formatCount(keys), formatCount(values));
  return window === undefined
    ? t("{0} layers keep {1}, of all tokens.", formatCount(count), kept)
    : t("{0} layers keep {1}, of the last {2} tokens.", formatCount(count), kept, formatCount(window));
}

function fitText({ types, sequences }: KvCacheCommand, shape: CacheShape, free: number): string[] {
  return [
    "",
    t("Longest that fits in {0}", formatBytes(free)),
    ...aligned(
      types.map((type) => {
        const length = longestThatFits(shape, free / sequences, type);
        const all = length !== undefined && length === shape.longest ? t("all that the model is made for") : "";
        return [orUnknown(length, formatCount), type, all];
      }),
      1,
    ),
  ];
}

function kvCacheJson(command: KvCacheCommand, shape: CacheShape): object {
  const { model, types, sequences, free } = command;
  const lengths = command.lengths ?? usualLengths(shape);
  return {
    schema: 1,
    model: {
      ...(typeof model === "string" ? { path: model } : {}),
      layers: shape.layers.map(({ count, keys, values, window }) => ({
        count,
        key_elements: keys,
        value_elements: values,
        ...defined({ window }),
      })),
      ...defined({ longest: shape.longest }),
    },
    sequences,
    cache: lengths.flatMap((length) =>
      types.flatMap((type) => {
        const bytes = cacheBytes(shape, length, type);
        return bytes === undefined ? [] : [{ length, type, bytes: bytes * sequences }];
      }),
    ),
    ...(free === undefined
      ? {}
      : {
          free_bytes: free,
          longest_that_fits: types.flatMap((type) => {
            const length = longestThatFits(shape, free / sequences, type);
            return length === undefined ? [] : [{ type, length }];
          }),
        }),
    notes: shape.notes,
  };
}
