/** A model's shape from the config.json that transformers writes beside its weights. Anybody may have made it. */
import * as v from "valibot";
import { defined } from "../../profile/defined.ts";
import { t } from "../../words/t.ts";
import { alike, type CacheLayers, type CacheShape, MOST_LENGTH } from "./model.ts";
import {
  believable,
  believableCount,
  doesNotSay,
  keepsNothing,
  MOST_LAYERS,
  MOST_SIZE,
  notAModel,
  otherState,
  windowOfSome,
} from "./says.ts";

const size = v.nullish(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(MOST_SIZE)));
const length = v.nullish(v.pipe(v.number(), v.safeInteger(), v.minValue(1)));

/** By each of the names that models of transformers have for it. */
const configSchema = v.object({
  model_type: v.nullish(v.string()),
  is_encoder_decoder: v.nullish(v.boolean()),
  num_hidden_layers: size,
  n_layer: size,
  n_layers: size,
  num_attention_heads: size,
  n_head: size,
  n_heads: size,
  num_key_value_heads: size,
  num_kv_heads: size,
  multi_query: v.nullish(v.boolean()),
  new_decoder_architecture: v.nullish(v.boolean()),
  head_dim: size,
  hidden_size: size,
  n_embd: size,
  d_model: size,
  kv_lora_rank: size,
  qk_rope_head_dim: size,
  max_position_embeddings: length,
  n_positions: length,
  seq_length: length,
  sliding_window: length,
  use_sliding_window: v.nullish(v.boolean()),
  attention_chunk_size: length,
  layer_types: v.nullish(v.pipe(v.array(v.string()), v.maxLength(MOST_LAYERS))),
});
type Config = v.InferOutput<typeof configSchema>;

/** Of a model that sees or hears as well, the part that writes. */
const wholeSchema = v.object({ text_config: v.nullish(v.unknown()), llm_config: v.nullish(v.unknown()) });

/** @throws UserError `not-a-model` */
export function shapeOfConfig(text: string, file: string): CacheShape {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw notAModel(t("{0} is not JSON.", file), error);
  }
  const whole = v.safeParse(wholeSchema, json);
  const inner = whole.success ? (whole.output.text_config ?? whole.output.llm_config) : undefined;
  const read = v.safeParse(configSchema, inner ?? json);
  if (!read.success) {
    const where = read.issues[0].path?.map(({ key }) => String(key)).join(".") ?? "";
    throw notAModel(t("{0} is no model's configuration: its {1} is not as transformers writes it.", file, where));
  }
  return shapeOf(read.output, file);
}

function shapeOf(config: Config, file: string): CacheShape {
  if (config.is_encoder_decoder === true)
    throw notAModel(t("{0} is of a model with an encoder and a decoder, whose cache is another one.", file));
  const said = needed(file, "num_hidden_layers", config.num_hidden_layers ?? config.n_layer ?? config.n_layers);
  const count = believableCount(said, file);
  const { layer, notes } = perToken(config, file);
  const kept = keptBy(config, count);
  if (kept.windows.length === 0) throw keepsNothing(file);
  const most = config.max_position_embeddings ?? config.n_positions ?? config.seq_length ?? undefined;
  const longest = most === undefined ? undefined : Math.min(MOST_LENGTH, most);
  return {
    layers: believable(alike(kept.windows.map((window) => ({ ...layer, ...defined({ window }) }))), file),
    ...defined({ longest }),
    notes: [...notes, ...kept.notes],
  };
}

function perToken(
  config: Config,
  file: string,
): { readonly layer: Pick<CacheLayers, "keys" | "values">; readonly notes: readonly string[] } {
  const { kv_lora_rank: rank, qk_rope_head_dim: rope } = config;
  if (rank)
    return {
      layer: { keys: rank + (rope ?? 0), values: 0 },
      notes: [
        t(
          "Keys and values are kept as latent vectors (MLA), as llama.cpp, vLLM and SGLang do; transformers itself keeps them whole, which is many times as much.",
        ),
      ],
    };
  const heads = needed(file, "num_attention_heads", config.num_attention_heads ?? config.n_head ?? config.n_heads);
  const one = config.multi_query === true && config.new_decoder_architecture !== true ? 1 : undefined;
  const said = config.num_key_value_heads ?? one ?? config.num_kv_heads;
  const head = config.head_dim ?? headSize(file, config.hidden_size ?? config.n_embd ?? config.d_model, heads);
  const elements = needed(file, "num_key_value_heads", said ?? heads) * needed(file, "head_dim", head);
  return {
    layer: { keys: elements, values: elements },
    notes: said ? [] : [t("The file does not say how many heads keep keys and values: taken as all {0}.", heads)],
  };
}

function headSize(file: string, width: number | null | undefined, heads: number): number {
  const size = needed(file, "hidden_size", width) / heads;
  if (!Number.isInteger(size)) throw doesNotSay(file, "head_dim");
  return size;
}

function needed(file: string, name: string, value: number | null | undefined): number {
  if (!value) throw doesNotSay(file, name);
  return value;
}

/** For each layer that keeps keys and values the window, undefined: all. */
function keptBy(
  { layer_types: types, sliding_window: window, use_sliding_window: used, ...config }: Config,
  count: number,
): { readonly windows: readonly (number | undefined)[]; readonly notes: readonly string[] } {
  if (types) {
    const other = types.filter((type) => !type.endsWith("attention") || type.startsWith("linear"));
    const windows = types
      .filter((type) => !other.includes(type))
      .map((type) => {
        if (type === "sliding_attention") return window ?? undefined;
        return type === "chunked_attention" ? (config.attention_chunk_size ?? undefined) : undefined;
      });
    return {
      windows,
      notes: [
        ...(other.length === 0 ? [] : [otherState(other.length, kindsOf(other))]),
        ...(windows.some((one) => one !== undefined) ? [windowNote()] : []),
      ],
    };
  }
  const all = (one: number | undefined) => Array.from({ length: count }, () => one);
  if (!window || used === false) return { windows: all(undefined), notes: [] };
  if (config.model_type === "mistral") return { windows: all(window), notes: [windowNote()] };
  return {
    windows: all(undefined),
    notes: [windowOfSome(window)],
  };
}

const windowNote = () =>
  t(
    "Layers with a window keep no more than it. llama.cpp keeps some hundred tokens beyond it, and the whole text with --swa-full.",
  );

const kindsOf = (types: readonly string[]) => [...new Set(types)].slice(0, 5).join(", ");
