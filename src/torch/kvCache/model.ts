/**
 * The keys and values that a language model keeps while it writes (its KV cache), worked out from its shape before any
 * server runs: layers × (keys + values of a token) × length × bytes of an element.
 */

/** Layers that keep the same. */
export interface CacheLayers {
  readonly count: number;
  /** Elements of one token in one layer. */
  readonly keys: number;
  readonly values: number;
  /** Tokens back from the newest that are kept; absent: all. */
  readonly window?: number;
}

/** What each layer keeps → those that are alike, told once. */
export function alike(each: readonly Omit<CacheLayers, "count">[]): CacheLayers[] {
  const found = new Map<string, { -readonly [Key in keyof CacheLayers]: CacheLayers[Key] }>();
  for (const layer of each) {
    const key = `${layer.keys} ${layer.values} ${layer.window}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { count: 1, ...layer });
    else known.count++;
  }
  return [...found.values()];
}

export interface CacheShape {
  /** Those that keep keys and values; at least one. */
  readonly layers: readonly CacheLayers[];
  /** The longest text in tokens that the model is made for, where that is said. */
  readonly longest?: number;
  /** What was taken for granted, and what is not counted; whole sentences. */
  readonly notes: readonly string[];
}

/**
 * Bytes of a block of so many elements, as ggml's types (llama.cpp, Ollama) and PyTorch's (vLLM) lay them out: a block of
 * q8_0 is 32 bytes and a scale of 2, one of q4_0 16 bytes and a scale.
 */
const BLOCKS = {
  f32: [4, 1],
  f16: [2, 1],
  bf16: [2, 1],
  fp8: [1, 1],
  q8_0: [34, 32],
  q5_1: [24, 32],
  q5_0: [22, 32],
  q4_1: [20, 32],
  q4_0: [18, 32],
  iq4_nl: [18, 32],
} as const satisfies Record<string, readonly [bytes: number, elements: number]>;

export type CacheType = keyof typeof BLOCKS;
export const CACHE_TYPES = Object.keys(BLOCKS) as readonly CacheType[];

/** @returns undefined where the elements of a token are no whole blocks: such a type cannot hold them */
export function tokenBytes({ keys, values }: CacheLayers, type: CacheType): number | undefined {
  const [bytes, elements] = BLOCKS[type];
  return keys % elements === 0 && values % elements === 0 ? ((keys + values) / elements) * bytes : undefined;
}

/** Bytes of one sequence of `length` tokens; undefined as `tokenBytes`. */
export function cacheBytes({ layers }: CacheShape, length: number, type: CacheType): number | undefined {
  let sum = 0;
  for (const layer of layers) {
    const token = tokenBytes(layer, type);
    if (token === undefined) return undefined;
    sum += layer.count * token * Math.min(length, layer.window ?? length);
  }
  return sum;
}

/** Tokens: no text has more. */
export const MOST_LENGTH = 2 ** 30;

/** The longest text whose cache fits, at most what the model is made for; undefined as `tokenBytes`. */
export function longestThatFits(shape: CacheShape, bytes: number, type: CacheType): number | undefined {
  if (cacheBytes(shape, 1, type) === undefined) return undefined;
  let [low, high] = [0, shape.longest ?? MOST_LENGTH];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((cacheBytes(shape, middle, type) ?? 0) <= bytes) low = middle;
    else high = middle - 1;
  }
  return low;
}
