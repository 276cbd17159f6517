/** Model accounts for tests, whose figures can be followed by hand. */
import { createAccountTable } from "./accountTable.ts";
import type { ModelAccount } from "./model.ts";

export const MIB = 2 ** 20;

export function accountOf(records: readonly (object | string)[]): ModelAccount {
  const table = createAccountTable("model.7.jsonl");
  for (const record of records) table.add(typeof record === "string" ? record : JSON.stringify(record));
  const account = table.account();
  if (account === undefined) throw new Error("no header");
  return account;
}

export const HEADER = { schema: 1, record: "header", pid: 7, torch: "1.13.1", activations: "saved-tensors", steps: 3 };

/** Two layers: 0 with a weight, its gradient and state; 1 with a tied weight, a buffer and two saved tensors. */
export const SMALL: readonly object[] = [
  HEADER,
  { record: "root", root: 0, type: "Net", path: "train.py", line: 33, device: "cpu" },
  {
    record: "module",
    root: 0,
    module: 0,
    parent: null,
    name: "",
    type: "Net",
    config: "",
    parameters: [],
    buffers: [],
  },
  module(1, 0, "a", { parameters: [["a.weight", 1, 400, [10, 10], "float32", true]], buffers: [] }),
  module(2, 0, "b", {
    parameters: [
      ["b.weight", 1, 400, [10, 10], "float32", true],
      ["b.bias", 2, 40, [10], "float32", false],
    ],
    buffers: [["b.mean", 3, 80, [20], "float32"]],
  }),
  step(1, 4),
  {
    record: "activations",
    root: 0,
    step: 1,
    rows: [
      [1, 10, 160, [4, 10], "float32", true, "input"],
      [2, 11, 1600, [4, 100], "float32", true, "layer"],
      [2, 11, 1600, [4, 100], "float32", true, "layer"],
      [2, 12, 24, [6], "float32", false, "layer"],
      [0, 13, 16, [4], "float32", true, "after"],
    ],
  },
  { record: "gradients", root: 0, step: 1, rows: [["a.weight", 1, 400]] },
  { record: "optimizer", type: "torch.optim.adam.Adam", rows: [["a.weight", 1, 800, { exp_avg: 400 }]], other: 8 },
  { record: "end", steps: 1 },
];

/** The same with words, a layer that PEFT adapts by its name, and state in 8 bits. */
export const TUNED: readonly object[] = [
  ...SMALL.slice(0, -1),
  module(3, 0, "q_proj", { parameters: [["weight", 4, 65536, [128, 128], "float32", false]], buffers: [] }),
  module(4, 3, "q_proj.lora_A", { parameters: [["weight", 5, 4096, [8, 128], "float32", true]], buffers: [] }),
  { record: "tuning", root: 0, adapters: [], packed: [], checkpointing: true, type: "llama", positions: 2048 },
  step(2, 4, { inputs: [[[4, 7], "int64", 224]] }),
  { record: "activations", root: 0, step: 2, rows: [[3, 20, 9000, [4, 7, 7], "float32", true, "layer"]] },
  { record: "optimizer", type: "bnb.Adam8bit", rows: [["lora_A.weight", 5, 4096]], other: 8, packed: 2048 },
  { record: "end", steps: 2 },
];

export function module(
  number: number,
  parent: number,
  name: string,
  tensors: object,
  type = "torch.nn.Linear",
): object {
  return { record: "module", root: 0, module: number, parent, name, type, config: "10, 10", ...tensors };
}

export function step(number: number, batch: number, changes: object = {}): object {
  return {
    record: "step",
    root: 0,
    step: number,
    training: true,
    grad: true,
    autocast: false,
    checkpointed: false,
    inputs: [[[batch, 10], "float32", batch * 40]],
    batch,
    ...changes,
  };
}

export interface Toy {
  readonly layers: number;
  /** Bytes of each layer's input. */
  readonly x: number;
  /** Bytes that each layer saves beside its input. */
  readonly y: number;
  readonly batch: number;
  /** Measured above the step's beginning. */
  readonly peak?: number;
  /** The loss saves the last layer's output. */
  readonly outputSaved: boolean;
}

/** A chain of layers that are all alike, as textbooks have it; the root's own input is saved. */
export function toy({ layers, x, y, batch, peak, outputSaved }: Toy): ModelAccount {
  const none = { parameters: [], buffers: [] };
  const places = Array.from({ length: layers }, (_, place) => place);
  const row = (layer: number, storage: number, bytes: number, part: string) => [
    layer,
    storage,
    bytes,
    [batch],
    "float32",
    true,
    part,
  ];
  return accountOf([
    HEADER,
    { record: "root", root: 0, type: "Sequential", device: "cpu" },
    module(0, 0, "", none, "torch.nn.Sequential"),
    ...places.map((place) => module(place + 1, 0, String(place), none, "toy.Block")),
    step(1, batch, { inputs: [[[batch], "float32", x]] }),
    step(2, batch, {
      inputs: [[[batch], "float32", x]],
      measure: "rss",
      ...(peak === undefined ? {} : { memory_before: 200 * MIB, memory_peak: 200 * MIB + Math.round(peak) }),
    }),
    {
      record: "chain",
      root: 0,
      step: 1,
      rows: places.map((place) => [place + 1, 100 + place, x, 101 + place, x]),
    },
    {
      record: "activations",
      root: 0,
      step: 1,
      rows: [
        ...places.flatMap((place) => [
          row(place + 1, 100 + place, x, place === 0 ? "input" : "layer"),
          row(place + 1, 1000 + place, y, "layer"),
        ]),
        ...(outputSaved ? [row(0, 100 + layers, x, "after")] : []),
      ],
    },
    { record: "end", steps: 1 },
  ]);
}

export interface UnevenLayer {
  /** Bytes of what it returns, and whether anybody saves that. */
  readonly out: number;
  readonly outputSaved: boolean;
  /** Bytes that it saves beside its input and output. */
  readonly inner: number;
}

/** A chain of layers of their own sizes. @param input bytes, saved by nobody. @param peak measured above the step's beginning */
export function uneven(input: number, layers: readonly UnevenLayer[], batch: number, peak: number): ModelAccount {
  const none = { parameters: [], buffers: [] };
  const numbered = layers.map((layer, place) => ({ ...layer, place, input: layers[place - 1]?.out ?? input }));
  const inputs = { inputs: [[[batch], "float32", input]] };
  return accountOf([
    HEADER,
    { record: "root", root: 0, type: "Sequential", device: "cpu" },
    module(0, 0, "", none, "torch.nn.Sequential"),
    ...numbered.map(({ place }) => module(place + 1, 0, String(place), none, "toy.Layer")),
    step(1, batch, inputs),
    step(2, batch, { ...inputs, measure: "rss", memory_before: 200 * MIB, memory_peak: 200 * MIB + Math.round(peak) }),
    {
      record: "chain",
      root: 0,
      step: 1,
      rows: numbered.map(({ place, input: bytes, out }) => [place + 1, 100 + place, bytes, 101 + place, out]),
    },
    {
      record: "activations",
      root: 0,
      step: 1,
      rows: numbered.flatMap(({ place, out, outputSaved, inner }) => [
        [place + 1, 1000 + place, inner, [batch], "float32", true, "layer"],
        ...(outputSaved ? [[place + 1, 101 + place, out, [batch], "float32", true, "layer"]] : []),
      ]),
    },
    { record: "end", steps: 2 },
  ]);
}
