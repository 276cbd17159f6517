/** What PyTorch says of its memory: pickled allocator snapshots, and traces of its profiler. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { ggufFields, shapeOfGguf } from "../../../../src/torch/kvCache/gguf.ts";
import { type CacheShape, cacheBytes, longestThatFits } from "../../../../src/torch/kvCache/model.ts";
import { gguf, SMALL_GGUF } from "../../../../src/torch/kvCache/testing.ts";
import { shapeOfConfig } from "../../../../src/torch/kvCache/transformersConfig.ts";
import { Float, type Picklable, pickle, Tuple } from "../../../../src/torch/pickle/testing.ts";
import { deviceMemories } from "../../../../src/torch/snapshot/deviceMemory.ts";
import { liveTree } from "../../../../src/torch/snapshot/liveTree.ts";
import type { Snapshot } from "../../../../src/torch/snapshot/model.ts";
import { createSnapshotReader } from "../../../../src/torch/snapshot/reading/readSnapshot.ts";
import { stateAt } from "../../../../src/torch/snapshot/stateAt.ts";
import { smallSnapshot } from "../../../../src/torch/snapshot/testing.ts";
import { momentsOf } from "../../../../src/torch/trace/moments.ts";
import { heldAt, peakOf } from "../../../../src/torch/trace/peak.ts";
import { createTraceReader } from "../../../../src/torch/trace/traceReader.ts";
import { demand, demandFinite, type FuzzReader } from "../reader.ts";

const STEP = gunzipSync(readFileSync(new URL("../../../fixtures/trace/step.pt.trace.json.gz", import.meta.url)));
const TRACE = `{"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::conv2d","pid":1,"tid":1,"ts":1000.5,"dur":20,"args":{}},
{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1005,"s":"t","args":{"Device Type":1,"Device Id":0,"Addr":140,"Bytes":4096,"Total Allocated":4096,"Total Reserved":2097152}},
{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":1030,"args":{"Device Type":0,"Addr":140,"Bytes":-4096}}
],"traceName":"x"}`;

/** Most damage to a pickle's bytes only makes it none: what is JSON is changed as a value, and pickled then. */
function pickled(input: Uint8Array): Uint8Array {
  if (input[0] !== "{".charCodeAt(0)) return input;
  try {
    return pickle(JSON.parse(Buffer.from(input).toString("utf8"), picklable) as Picklable);
  } catch {
    return input;
  }
}

function picklable(_: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isSafeInteger(value)) return new Float(value);
  const items = (value as { readonly items?: unknown } | null)?.items;
  return Array.isArray(items) ? new Tuple(...(items as Picklable[])) : value;
}

function pushIn(chunk: number, bytes: Uint8Array, push: (part: Uint8Array) => void): void {
  for (let at = 0; at < bytes.length; at += chunk) push(bytes.slice(at, at + chunk));
}

function demandSnapshot(snapshot: Snapshot): void {
  const { frames, stacks, segments, problems } = snapshot;
  for (const stack of stacks)
    demand(
      stack.every((frame) => frame < frames.length),
      "a stack names no frame",
    );
  demandFinite([segments, problems, frames]);
  for (const { allocations, totals, held, maximum, outOfMemory } of deviceMemories(snapshot)) {
    demandFinite([totals, held, maximum, outOfMemory]);
    demand(maximum.moment <= allocations.events, "the maximum is at no moment");
    demandFinite(liveTree(snapshot, allocations, maximum.moment, "python").bytes);
    for (const { held: bytes } of stateAt(snapshot, allocations, maximum.moment).segments) demandFinite(bytes);
  }
}

const CONFIG = JSON.stringify({
  model_type: "qwen3",
  num_hidden_layers: 4,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 128,
  max_position_embeddings: 40_960,
  sliding_window: 512,
  layer_types: ["full_attention", "sliding_attention", "linear_attention", "sliding_attention"],
});

function demandShape(shape: CacheShape): void {
  demandFinite(shape);
  demand(shape.layers.length > 0, "no layer keeps anything");
  const [short, long] = [cacheBytes(shape, 1_000, "f16") ?? 0, cacheBytes(shape, 2_000, "f16") ?? 0];
  demand(short > 0 && long >= short && Number.isSafeInteger(long), `${short} and ${long} bytes`);
  const fits = longestThatFits(shape, short, "f16") ?? -1;
  demand(fits >= Math.min(1_000, shape.longest ?? 1_000), `${fits} tokens fit where 1,000 do`);
}

export const readers: readonly FuzzReader[] = [
  {
    name: "pickled snapshots of PyTorch's allocator",
    short: 4_000,
    samples: [
      pickle(smallSnapshot()),
      pickle(smallSnapshot(), 2),
      pickle(smallSnapshot(), 5),
      JSON.stringify(smallSnapshot()),
      JSON.stringify(smallSnapshot()),
    ],
    fixtures: ["torch_snapshots"],
    pieces: [
      "\x80\x04",
      "\x95\x00\x00\x00\x00\x00\x00\x00\x00",
      "cos\nsystem\n",
      "\x8c\x04size\x94",
      "K\x01",
      "J\xff\xff\xff\xff",
      "\x8a\x08",
      "(",
      "]",
      "}",
      "u",
      "e",
      "a",
      "s",
      ".",
      "R",
      "h\x00",
      "j\x00\x00\x00\x00",
      "\x8b\xff\xff\xff\x7f",
      "G\x7f\xf8\x00\x00\x00\x00\x00\x00",
    ],
    read(input, random) {
      const reader = createSnapshotReader();
      const bytes = pickled(input);
      pushIn(random.below(2) === 0 ? bytes.length + 1 : 1 + random.below(50), bytes, reader.push);
      demandSnapshot(reader.finish());
      return "read";
    },
  },
  {
    name: "traces of PyTorch's profiler",
    short: 3_000,
    samples: [TRACE, STEP.subarray(0, 6_000)],
    pieces: ['"ph":"i"', '"name":"[memory]"', '"args":{', '"Bytes":', '"ts":', '"traceEvents":[', "},{", "\\u"],
    read(input, random) {
      const reader = createTraceReader();
      pushIn(random.below(2) === 0 ? input.length + 1 : 1 + random.below(100), input, reader.push);
      const trace = reader.end();
      demandFinite([
        trace.durationMs,
        momentsOf(trace, 100),
        trace.devices.map(({ t, bytes, allocated }) => [t, bytes, allocated]),
      ]);
      for (const device of trace.devices) {
        demand(
          device.call.every((call) => call < trace.calls.name.length),
          "an event names no operator",
        );
        demand(
          device.t.every((t) => t >= 0),
          "an event was before the first",
        );
        demandFinite(heldAt(device, peakOf(device), trace));
      }
      return "read";
    },
  },
  {
    name: "heads of GGUF files",
    short: 20_000,
    samples: [gguf(SMALL_GGUF), gguf({ ...SMALL_GGUF, "llama.attention.head_count_kv": [0, 2, 0, 4] })],
    pieces: ["GGUF", "\x03\0\0\0", "llama.", "\x09\0\0\0", "\x08\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\x7f"],
    read(input) {
      const fields = ggufFields(input, "m.gguf");
      if (fields === undefined) return "refused";
      demandShape(shapeOfGguf(fields, "m.gguf"));
      return "read";
    },
  },
  {
    name: "configurations of language models",
    short: 20_000,
    samples: [CONFIG, `{"text_config":${CONFIG}}`],
    pieces: ['"layer_types":["mamba"]', '"kv_lora_rank":512', "null", "0", "1e999", '"multi_query":true'],
    read(input) {
      demandShape(shapeOfConfig(Buffer.from(input).toString("utf8"), "config.json"));
      return "read";
    },
  },
];
