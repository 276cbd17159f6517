/** `kv-cache`: what was typed. */
import { defined } from "../../../profile/defined.ts";
import { CACHE_TYPES, type CacheShape, type CacheType } from "../../../torch/kvCache/model.ts";
import { t } from "../../../words/t.ts";
import { mebibytes, oneOf, readWords, usageError, wholeNumber } from "../../commandLine/options.ts";
import { KV_CACHE } from "../../commandLine/reference/reading.ts";

export interface KvCacheCommand {
  readonly kind: "kv-cache";
  /** The model's file or folder, or its shape given by hand. */
  readonly model: string | CacheShape;
  /** Tokens; absent: those that the model is made for. */
  readonly lengths?: readonly number[];
  readonly types: readonly CacheType[];
  readonly sequences: number;
  /** Bytes. */
  readonly free?: number;
  readonly json: boolean;
}

const USUAL_TYPES: readonly CacheType[] = ["f16", "q8_0", "q4_0"];
const MOST = {
  layers: 10_000,
  heads: 10_000,
  size: 100_000,
  length: 9_999_999,
  sequences: 100_000,
  columns: 16,
} as const;

/**
 * @returns undefined where help was asked for
 * @throws UserError `usage`
 */
export function parseKvCache(argv: readonly string[]): KvCacheCommand | undefined {
  const { values, positionals } = readWords(argv, KV_CACHE.options);
  if (values.help) return undefined;
  const [file, ...more] = positionals;
  if (more.length > 0) throw usageError(t('One model at a time, please: "{0}" is one too many.', more[0] ?? ""));
  const { layers, "kv-heads": heads, "head-size": size } = values;
  const byHand = [layers, heads, size].filter((given) => given !== undefined).length;
  if (file !== undefined && byHand > 0)
    throw usageError(t("Name a model, or give --layers, --kv-heads and --head-size, not both."));
  return {
    kind: "kv-cache",
    model: file ?? shapeByHand(layers, heads, size),
    types:
      values.type === undefined ? USUAL_TYPES : wordsOf(values.type).map((type) => oneOf("--type", type, CACHE_TYPES)),
    sequences: wholeNumber("--sequences", values.sequences ?? "1", 1, MOST.sequences),
    json: values.json ?? false,
    ...defined({
      lengths:
        values.length === undefined
          ? undefined
          : wordsOf(values.length).map((length) => wholeNumber("--length", length, 1, MOST.length)),
      free: values.free === undefined ? undefined : mebibytes(values.free),
    }),
  };
}

function shapeByHand(layers: string | undefined, heads: string | undefined, size: string | undefined): CacheShape {
  if (layers === undefined || heads === undefined || size === undefined)
    throw usageError(
      t(
        "Name a model (its config.json, the folder of it or a .gguf file), or give --layers, --kv-heads and --head-size.",
      ),
    );
  const elements = wholeNumber("--kv-heads", heads, 1, MOST.heads) * wholeNumber("--head-size", size, 1, MOST.size);
  return {
    layers: [{ count: wholeNumber("--layers", layers, 1, MOST.layers), keys: elements, values: elements }],
    notes: [],
  };
}

function wordsOf(text: string): readonly string[] {
  return [...new Set(text.split(",").map((one) => one.trim()))].slice(0, MOST.columns);
}
