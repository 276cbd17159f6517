/** Heads of GGUF files for tests, written as the format's description says. */

export type GgufValue = number | string | readonly number[] | readonly string[];

const UINT32 = 4;
const TEXT = 8;
const LIST = 9;

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)]);

function valued(value: GgufValue): Buffer {
  if (typeof value === "number") return Buffer.concat([uint32(UINT32), uint32(value)]);
  if (typeof value === "string") return Buffer.concat([uint32(TEXT), text(value)]);
  const of = typeof value[0] === "string" ? TEXT : UINT32;
  const items = value.map((item) => (typeof item === "string" ? text(item) : uint32(item)));
  return Buffer.concat([uint32(LIST), uint32(of), uint64(value.length), ...items]);
}

export function gguf(fields: Readonly<Record<string, GgufValue>>, version = 3): Buffer {
  const entries = Object.entries(fields);
  return Buffer.concat([
    Buffer.from("GGUF"),
    uint32(version),
    uint64(0),
    uint64(entries.length),
    ...entries.flatMap(([name, value]) => [text(name), valued(value)]),
  ]);
}

export const SMALL_GGUF: Readonly<Record<string, GgufValue>> = {
  "general.architecture": "llama",
  "llama.block_count": 4,
  "llama.embedding_length": 256,
  "llama.attention.head_count": 8,
};

/** Of Qwen3 8B, with a vocabulary as large as files have. */
export const QWEN3_GGUF: Readonly<Record<string, GgufValue>> = {
  "general.architecture": "qwen3",
  "qwen3.block_count": 36,
  "qwen3.context_length": 40_960,
  "qwen3.embedding_length": 4096,
  "qwen3.attention.head_count": 32,
  "qwen3.attention.head_count_kv": 8,
  "qwen3.attention.key_length": 128,
  "qwen3.attention.value_length": 128,
  "tokenizer.ggml.tokens": Array.from({ length: 150_000 }, (_, at) => `token ${at}`),
  "tokenizer.ggml.token_type": Array.from({ length: 150_000 }, () => 1),
};
