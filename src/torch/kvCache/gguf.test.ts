import { describe, expect, it } from "vitest";
import { ggufFields, shapeOfGguf } from "./gguf.ts";
import { type GgufValue, gguf, QWEN3_GGUF, SMALL_GGUF as SMALL } from "./testing.ts";

const shapeOf = (fields: Readonly<Record<string, GgufValue>>) => {
  const read = ggufFields(gguf(fields), "m.gguf");
  if (read === undefined) throw new Error("The head is whole.");
  return shapeOfGguf(read, "m.gguf");
};

describe("the head of a GGUF file", () => {
  it("says the model's shape, past a vocabulary that is not kept", () => {
    expect(shapeOf(QWEN3_GGUF)).toEqual({
      layers: [{ count: 36, keys: 1024, values: 1024 }],
      longest: 40_960,
      notes: [],
    });
  });

  it("without heads of keys and values keeps all, each a part of the width", () => {
    expect(shapeOf(SMALL).layers).toEqual([{ count: 4, keys: 256, values: 256 }]);
  });

  it("may say the heads of each layer; those without keep a state of another kind", () => {
    const shape = shapeOf({ ...SMALL, "llama.attention.head_count_kv": [0, 2, 0, 4] });
    expect(shape.layers).toEqual([
      { count: 1, keys: 64, values: 64 },
      { count: 1, keys: 128, values: 128 },
    ]);
    expect(shape.notes).toEqual(["2 of the layers keep a state of another kind (llama), which is not counted."]);
  });

  it("may have latent vectors, and a window of layers that it does not name", () => {
    const latent = shapeOf({ ...SMALL, "llama.attention.kv_lora_rank": 512, "llama.rope.dimension_count": 64 });
    expect(latent.layers).toEqual([{ count: 4, keys: 576, values: 0 }]);
    expect(shapeOf({ ...SMALL, "llama.attention.sliding_window": 512 }).notes[0]).toContain("does not say which");
  });

  it("is not known before it is whole, wherever it is cut", () => {
    const whole = gguf(SMALL);
    for (let length = 0; length < whole.length; length++)
      expect(ggufFields(whole.subarray(0, length), "m.gguf")).toBeUndefined();
    expect(ggufFields(whole, "m.gguf")).toBeDefined();
  });

  it.each([
    [{}, "does not say general.architecture"],
    [{ "general.architecture": "llama" }, "does not say llama.block_count"],
    [{ ...SMALL, "llama.block_count": 4_000_000 }, "has 4000000 layers"],
    [{ ...SMALL, "llama.attention.head_count_kv": [1, 2] }, "does not say llama.attention.head_count_kv"],
    [{ ...SMALL, "llama.attention.head_count_kv": [0, 0, 0, 0] }, "None of the layers"],
    [{ ...SMALL, "llama.embedding_length": 255 }, "does not say llama.attention.key_length"],
  ])("%j is refused", (fields, message) => {
    expect(() => shapeOf(fields as Readonly<Record<string, GgufValue>>)).toThrow(message);
  });

  it("with lengths and types that cannot be is refused, or ends before they do", () => {
    expect(() => ggufFields(Buffer.from("GGML".padEnd(64)), "m.gguf")).toThrow("does not begin as one");
    expect(() => ggufFields(gguf(SMALL, 1), "m.gguf")).toThrow("its version is 1");
    const many = gguf({});
    many.writeBigUInt64LE(2n ** 63n, 16);
    expect(() => ggufFields(many, "m.gguf")).toThrow("a length that cannot be");
    const odd = gguf({ x: 1 });
    odd.writeUInt32LE(77, odd.length - 8);
    expect(() => ggufFields(odd, "m.gguf")).toThrow("a value has the type 77");
    const long = gguf({ x: [1] });
    long.writeBigUInt64LE(2n ** 40n, long.length - 12);
    expect(ggufFields(long, "m.gguf")).toBeUndefined();
  });
});
