import { describe, expect, it } from "vitest";
import type { ModelAccount } from "../../model/model.ts";
import { accountOf, HEADER, module, step } from "../../model/testing.ts";
import { tuningFacts, tuningSummary } from "../../model/tuning.ts";
import { allWhatIfs } from "../allWhatIfs.ts";
import type { Refusal, WhatIf, WhatIfKind } from "../model.ts";
import { CONTEXT } from "../testing.ts";

const NONE = { parameters: [], buffers: [] };
const LINEAR = "torch.nn.modules.linear.Linear";
const BATCH = 2;
const LENGTH = 10;

interface Changes {
  readonly records?: readonly object[];
  readonly trainable?: boolean;
  readonly seen?: boolean;
  readonly length?: number;
  readonly peak?: number;
}

/** Embedding 50 × 64, q, k, v of 64 × 64, and a head of 64 × 50: words of length 10, in batches of 2, Adam. */
function language({ records = [], trainable = true, seen = true, length = LENGTH, peak }: Changes = {}): ModelAccount {
  const weight = (name: string, storage: number, shape: readonly [number, number]) => ({
    parameters: [[name, storage, shape[0] * shape[1] * 4, shape, "float32", trainable]],
    buffers: [],
  });
  const square = 64 * 64 * 4;
  const words = BATCH * length;
  const state = [
    ["embed.weight", 1, 2 * 50 * 64 * 4],
    ["q_proj.weight", 2, 2 * square],
    ["k_proj.weight", 3, 2 * square],
    ["v_proj.weight", 4, 2 * square],
    ["head.weight", 5, 2 * 50 * 64 * 4],
  ];
  return accountOf([
    HEADER,
    { record: "root", root: 0, type: "Net", device: "cpu" },
    module(0, 0, "", NONE, "mine.Net"),
    module(1, 0, "embed", weight("weight", 1, [50, 64]), "torch.nn.modules.sparse.Embedding"),
    module(2, 0, "attention", NONE, "mine.Attention"),
    module(3, 2, "attention.q_proj", weight("weight", 2, [64, 64]), LINEAR),
    module(4, 2, "attention.k_proj", weight("weight", 3, [64, 64]), LINEAR),
    module(5, 2, "attention.v_proj", weight("weight", 4, [64, 64]), LINEAR),
    module(6, 0, "head", weight("weight", 5, [50, 64]), LINEAR),
    ...[1, 2].map((number) =>
      step(number, BATCH, {
        inputs: [[[BATCH, length], "int64", words * 8]],
        ...(peak === undefined ? {} : { measure: "rss", memory_before: 1000, memory_peak: 1000 + peak }),
      }),
    ),
    {
      record: "activations",
      root: 0,
      step: 2,
      rows: [
        [1, 20, words * 8, [BATCH, length], "int64", true, "input"],
        [3, 21, words * 64 * 4, [BATCH, length, 64], "float32", true, "layer"],
        [2, 22, BATCH * 4 * length * length * 4, [BATCH, 4, length, length], "float32", true, "layer"],
        [2, 23, 400, [100], "float32", false, "layer"],
        [6, 24, words * 64 * 4, [words, 64], "float32", true, "layer"],
        [0, 25, words * 50 * 4, [words, 50], "float32", true, "after"],
      ],
    },
    ...(seen ? [{ record: "optimizer", type: "torch.optim.adam.Adam", rows: state, other: 0 }] : []),
    ...records,
  ]);
}

const ADAPTED = { record: "tuning", root: 0, adapters: [[3, "default", 8, 2]], packed: [], checkpointing: true };

function answer(account: ModelAccount, kind: WhatIfKind, value?: number): WhatIf | Refusal {
  const [root] = account.roots;
  if (root === undefined) throw new Error("no root");
  const { estimates, refused } = allWhatIfs({
    account,
    root,
    context: CONTEXT,
    choices: value === undefined ? {} : { [kind]: value },
  });
  const found = [...estimates, ...refused].find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
}

function estimate(account: ModelAccount, kind: WhatIfKind, value?: number): WhatIf {
  const found = answer(account, kind, value);
  if ("reason" in found) throw new Error(found.reason);
  return found;
}

const WEIGHTS = (2 * 50 * 64 + 3 * 64 * 64) * 4;
const VECTORS = BATCH * LENGTH * 64 * 4;
const SQUARE = BATCH * 4 * LENGTH * LENGTH * 4;
const LOGITS = BATCH * LENGTH * 50 * 4;
const SAVED = 2 * VECTORS + SQUARE + 400 + LOGITS;

describe("the what-if of LoRA", () => {
  it("freezes the weights, and adds rank × (inputs + outputs) on what PEFT adapts", () => {
    const { now, changed, choice, notes } = estimate(language(), "lora", 4);
    const adapters = 2 * 4 * (64 + 64) * 4;
    expect(now.bytes).toBe(4 * WEIGHTS + SAVED);
    // The head's input goes; q's, k's and v's stays for the adapters, which save 4 numbers for each word.
    const saved = SAVED - VECTORS + 2 * BATCH * LENGTH * 4 * 4;
    expect(changed.bytes).toBe(WEIGHTS + adapters + 3 * adapters + saved);
    expect(changed.low).toBe(changed.bytes);
    expect(choice).toEqual({ name: "rank", value: 4, least: 1, most: 64 });
    expect(notes[0]).toBe("Adapters on q_proj and v_proj, PEFT's default: 2 layers.");
  });

  it("takes 8, PEFT's default, and keeps an absurd rank within what the layers are", () => {
    expect(estimate(language(), "lora").choice?.value).toBe(8);
    expect(estimate(language(), "lora", 1_000_000).choice?.value).toBe(64);
  });

  it("bounds state that was not seen by none and Adam's", () => {
    const { changed } = estimate(language({ seen: false }), "lora", 4);
    const adapters = 2 * 4 * (64 + 64) * 4;
    // At most, the head's input stays.
    expect(changed.high - changed.bytes).toBe(VECTORS);
    expect(changed.bytes - changed.low).toBeGreaterThanOrEqual(2 * adapters);
  });

  it("is not for a model that has adapters, or whose attention PEFT does not know", () => {
    expect(answer(language({ records: [ADAPTED] }), "lora")).toMatchObject({
      reason: "The model has LoRA adapters already, of rank 8.",
    });
    const other = language({ records: [{ record: "tuning", root: 0, adapters: [], packed: [], type: "deberta" }] });
    expect(answer(other, "lora")).toMatchObject({ reason: expect.stringContaining("No layer was found") });
  });
});

describe("the what-if of weights in 4 bits", () => {
  it("packs all linear layers but the last: half a byte, and scales of blocks of 64, packed or not", () => {
    const { changed } = estimate(language(), "lora+4bit", 4);
    const elements = 64 * 64;
    const scales = elements / 64;
    const nested = 3 * (elements / 2 + 64 + scales + 4 + 4);
    const plain = 3 * (elements / 2 + 64 + 4 * scales);
    const lora = estimate(language(), "lora", 4).changed;
    expect(changed.bytes).toBe(lora.bytes - 3 * elements * 4 + nested);
    expect(changed.high).toBe(lora.high - 3 * elements * 4 + plain);
  });

  it("leaves the adapters of a model that has some, and is not for weights that are packed", () => {
    const { choice, formula } = estimate(language({ records: [ADAPTED] }), "lora+4bit");
    expect([choice, formula]).toEqual([undefined, "W + P·(2 + s) + A"]);
    const packed = { ...ADAPTED, packed: [[3, "weight", "nf4", 64, true, 4096]] };
    expect(answer(language({ records: [packed] }), "lora+4bit")).toHaveProperty("reason");
  });
});

describe("the what-if of an optimizer in 8 bits", () => {
  it("has a byte for each element, scales in blocks of 256, and 32 bits below 4096 elements", () => {
    const { now, changed } = estimate(language(), "8bit-optimizer");
    expect(now.bytes).toBe(2 * WEIGHTS);
    const packed = 2 * 3 * 4096;
    expect(changed.bytes).toBe(packed + (4 * packed) / 256 + 4 * 2 * 2 * 50 * 64);
  });

  it("is not for state that was not seen or is packed", () => {
    expect(answer(language({ seen: false }), "8bit-optimizer")).toHaveProperty("reason");
    const packed = { record: "optimizer", type: "bnb.Adam8bit", rows: [], other: 0, packed: 100 };
    expect(answer(language({ records: [packed] }), "8bit-optimizer")).toHaveProperty("reason");
    expect(answer(language({ trainable: false }), "8bit-optimizer")).toHaveProperty("reason");
  });
});

describe("the what-if of a length", () => {
  it("takes what has the length once for linear and twice for square", () => {
    const { changed, symbols } = estimate(language(), "sequence", 30);
    expect(Object.fromEntries(symbols.map(({ symbol, value }) => [symbol, value]))).toMatchObject({
      r: 3,
      C: 400,
      L: 2 * VECTORS + LOGITS,
      Q: SQUARE,
    });
    expect(changed.bytes).toBe(400 + 3 * (2 * VECTORS + LOGITS) + 9 * SQUARE);
  });

  it("lets what was measured beside grow as the rest, within not at all and as the square", () => {
    const peak = SAVED + 1000;
    const { changed } = estimate(language({ peak }), "sequence", 20);
    const saved = 400 + 2 * (2 * VECTORS + LOGITS) + 4 * SQUARE;
    expect(changed.bytes).toBeCloseTo(saved + (1000 * saved) / SAVED, 6);
    expect(changed.low).toBeCloseTo(saved + 1000 - 0.05 * peak, 6);
    // One layer's backward may need as much as it saves: the attention's tensors of length × length.
    expect(changed.high).toBeCloseTo(saved + 4000 + 0.05 * peak + Math.max(2 * VECTORS, 4 * SQUARE + 400), 6);
  });

  it("is unknown where the length is also a width, a head's size or the batch", () => {
    for (const length of [64, 50, 16, 2]) {
      expect(answer(language({ length }), "sequence")).toMatchObject({
        reason: expect.stringContaining(`${length} is also another size`),
      });
    }
  });

  it("says where the model takes no such length", () => {
    const records = [{ record: "tuning", root: 0, adapters: [], packed: [], type: "llama", positions: 20 }];
    expect(estimate(language({ records }), "sequence", 30).notes).toContain("The model takes at most 20, as it says.");
    expect(estimate(language({ records }), "sequence", 20).notes.join()).not.toContain("at most");
  });
});

describe("how a model is fine-tuned", () => {
  it("is told with bytes and how that is known", () => {
    const adapters = { parameters: [["weight", 30, 2048, [8, 64], "float32", true]], buffers: [] };
    const scales = { parameters: [], buffers: [["weight.absmax", 31, 64, [64], "uint8"]] };
    const account = language({
      trainable: false,
      records: [
        module(7, 3, "attention.q_proj.lora_A", NONE, "torch.nn.modules.container.ModuleDict"),
        module(8, 7, "attention.q_proj.lora_A.default", adapters, LINEAR),
        module(9, 4, "attention.k_proj.x", scales),
        { ...ADAPTED, packed: [[9, "weight", "nf4", 64, true, 4096]], type: "llama", positions: 128 },
        { record: "optimizer", type: "bnb.Adam8bit", rows: [["x", 30, 4096]], other: 0, packed: 1024 },
      ],
    });
    const [root] = account.roots;
    if (root === undefined) throw new Error("no root");
    expect(tuningSummary(account, root)).toEqual({
      adapters: { bytes: 2048, layers: 1, ranks: [8] },
      frozen: WEIGHTS,
      packed: { bytes: 64, kinds: ["nf4 (double)"] },
      packedState: 1024,
      checkpointing: true,
      sequence: { length: LENGTH, from: "input" },
    });
    expect(tuningFacts(account, root).map(([name]) => name)).toEqual([
      "LoRA adapters",
      "Frozen weights",
      "Packed weights",
      "Optimizer state in 8 bits",
      "Gradient checkpointing",
      "Sequence length",
    ]);
  });

  it("leaves out what is said of layers that are not there, and rows that are damaged", () => {
    const account = language({
      records: [
        { ...ADAPTED, adapters: [[99, "default", 8, 2], [3, "default", 0, 2], [3, "default", -1, 2], [3, 7], "x"] },
      ],
    });
    expect(account.roots[0]?.tuning?.adapters).toEqual([]);
    expect(account.problems).toHaveLength(1);
  });

  it("has the longest by the configuration where the input does not say", () => {
    const records = [{ record: "tuning", root: 0, adapters: [], packed: [], type: "llama", positions: 20 }];
    const account = accountOf([
      HEADER,
      { record: "root", root: 0, type: "Net", device: "cpu" },
      module(0, 0, "", NONE, "mine.Net"),
      ...records,
    ]);
    const [root] = account.roots;
    if (root === undefined) throw new Error("no root");
    expect(tuningFacts(account, root)).toEqual([["Sequence length", "at most 20, by its configuration"]]);
  });
});
