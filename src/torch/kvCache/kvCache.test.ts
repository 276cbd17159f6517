import { describe, expect, it } from "vitest";
import { type CacheShape, type CacheType, cacheBytes, longestThatFits } from "./model.ts";
import { shapeOfConfig } from "./transformersConfig.ts";

const MIB = 2 ** 20;

/** Of Qwen3 8B, as its config.json has it. */
const QWEN3 = {
  model_type: "qwen3",
  num_hidden_layers: 36,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 128,
  hidden_size: 4096,
  max_position_embeddings: 40_960,
  sliding_window: null,
  use_sliding_window: false,
};

const shapeOf = (config: object): CacheShape => shapeOfConfig(JSON.stringify(config), "config.json");
const mib = (shape: CacheShape, length: number, type: CacheType = "f16") =>
  (cacheBytes(shape, length, type) ?? Number.NaN) / MIB;

describe("the size of a KV cache", () => {
  it("is layers × (keys + values) × length × bytes of an element, as llama.cpp prints it for such a model", () => {
    const shape = shapeOf(QWEN3);
    expect(shape).toEqual({ layers: [{ count: 36, keys: 1024, values: 1024 }], longest: 40_960, notes: [] });
    // Of a log of the same shape (test_board_servers.py): size = 1152.00 MiB (8192 cells, 36 layers), K (f16): 576.00 MiB
    expect(mib(shape, 8192)).toBe(1152);
    expect(mib(shape, 8192, "f32")).toBe(2304);
    // By hand: 36 · 2 · 1024 · 8192 elements, 34 bytes for 32 of them.
    expect(mib(shape, 8192, "q8_0")).toBe(612);
    expect(mib(shape, 8192, "q4_0")).toBe(324);
  });

  it("is not known of a type whose blocks do not fit a head", () => {
    const shape = { layers: [{ count: 2, keys: 80, values: 80 }], notes: [] };
    expect(cacheBytes(shape, 10, "q8_0")).toBeUndefined();
    expect(longestThatFits(shape, MIB, "q8_0")).toBeUndefined();
    expect(cacheBytes(shape, 10, "f16")).toBe(2 * 160 * 10 * 2);
  });

  it("grows no more in layers that look back a window", () => {
    const shape = { layers: [{ count: 1, keys: 64, values: 64, window: 100 }], notes: [] };
    expect(cacheBytes(shape, 50, "f16")).toBe(50 * 256);
    expect(cacheBytes(shape, 5000, "f16")).toBe(100 * 256);
  });

  it("says the longest text that fits, to the token, and never more than the model is made for", () => {
    const shape = shapeOf(QWEN3);
    const longest = longestThatFits(shape, 1152 * MIB, "f16");
    expect(longest).toBe(8192);
    expect(longestThatFits(shape, 1152 * MIB - 1, "f16")).toBe(8191);
    expect(longestThatFits(shape, 1e12, "f16")).toBe(40_960);
    expect(longestThatFits(shape, 0, "f16")).toBe(0);
  });
});

describe("a configuration of transformers", () => {
  it("of GPT-2 has other names, and keeps all heads", () => {
    const shape = shapeOf({ model_type: "gpt2", n_layer: 12, n_head: 12, n_embd: 768, n_positions: 1024 });
    expect(shape.layers).toEqual([{ count: 12, keys: 768, values: 768 }]);
    expect(shape.longest).toBe(1024);
    expect(shape.notes).toEqual(["The file does not say how many heads keep keys and values: taken as all 12."]);
  });

  it("of a model that sees as well is that of its text part", () => {
    expect(shapeOf({ model_type: "llava", text_config: QWEN3 }).layers).toEqual(shapeOf(QWEN3).layers);
  });

  it("says layer by layer which have a window, and which keep a state of another kind", () => {
    const layer_types = ["sliding_attention", "sliding_attention", "full_attention", "linear_attention"];
    const shape = shapeOf({ ...QWEN3, num_hidden_layers: 4, layer_types, sliding_window: 512 });
    expect(shape.layers).toEqual([
      { count: 2, keys: 1024, values: 1024, window: 512 },
      { count: 1, keys: 1024, values: 1024 },
    ]);
    expect(shape.notes[0]).toBe(
      "1 of the layers keep a state of another kind (linear_attention), which is not counted.",
    );
    expect(shape.notes[1]).toContain("keep no more than it");
  });

  it("with a window of layers that it does not name counts the most, and says so", () => {
    const shape = shapeOf({ ...QWEN3, model_type: "gemma2", use_sliding_window: undefined, sliding_window: 4096 });
    expect(shape.layers).toEqual([{ count: 36, keys: 1024, values: 1024 }]);
    expect(shape.notes[0]).toContain("does not say which");
    const mistral = shapeOf({ ...QWEN3, model_type: "mistral", use_sliding_window: undefined, sliding_window: 4096 });
    expect(mistral.layers).toEqual([{ count: 36, keys: 1024, values: 1024, window: 4096 }]);
  });

  it("of DeepSeek keeps latent vectors", () => {
    // DeepSeek-V2-Lite: 512 + 64 elements of a token in each of 27 layers.
    const shape = shapeOf({ num_hidden_layers: 27, num_attention_heads: 16, kv_lora_rank: 512, qk_rope_head_dim: 64 });
    expect(shape.layers).toEqual([{ count: 27, keys: 576, values: 0 }]);
    expect(shape.notes[0]).toContain("MLA");
  });

  it("of the first Falcon has one head for all", () => {
    const falcon = { num_hidden_layers: 32, num_attention_heads: 71, hidden_size: 4544, multi_query: true };
    expect(shapeOf(falcon).layers).toEqual([{ count: 32, keys: 64, values: 64 }]);
  });

  it.each([
    [{}, "does not say num_hidden_layers"],
    [{ num_hidden_layers: 2 }, "does not say num_attention_heads"],
    [{ num_hidden_layers: 2, num_attention_heads: 3 }, "does not say hidden_size"],
    [{ num_hidden_layers: 2, num_attention_heads: 3, hidden_size: 100 }, "does not say head_dim"],
    [{ ...QWEN3, num_hidden_layers: "many" }, "its num_hidden_layers is not as transformers writes it"],
    [{ ...QWEN3, num_hidden_layers: 1e6 }, "has 1000000 layers"],
    [{ ...QWEN3, head_dim: 2 ** 23 }, "keeps 67108864 elements of each token"],
    [{ ...QWEN3, layer_types: ["mamba"] }, "None of the layers"],
    [{ ...QWEN3, is_encoder_decoder: true }, "an encoder and a decoder"],
    [[], "does not say num_hidden_layers"],
  ])("%j is refused", (config, message) => {
    expect(() => shapeOf(config)).toThrow(message);
  });

  it("that is no JSON is refused", () => {
    expect(() => shapeOfConfig("{", "config.json")).toThrow("config.json is not JSON.");
  });
});
