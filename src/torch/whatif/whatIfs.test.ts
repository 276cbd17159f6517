import { describe, expect, it } from "vitest";
import { accountOf, HEADER, module, step } from "../model/testing.ts";
import { allWhatIfs } from "./allWhatIfs.ts";
import type { TrainingContext } from "./context.ts";
import { WHAT_IF_KINDS, type WhatIf, type WhatIfKind } from "./model.ts";
import { CONTEXT } from "./testing.ts";

const NONE = { parameters: [], buffers: [] };
const MEASURED = { measure: "cuda-allocated", memory_before: 1000, memory_peak: 1000 + 2000 };

/** Linear (weights 400), LeakyReLU, LayerNorm, and code of the model's own; 1800 saved, 2000 measured. */
const NET = accountOf([
  HEADER,
  { record: "root", root: 0, type: "Net", device: "cuda:0" },
  module(0, 0, "", NONE, "mine.Net"),
  module(
    1,
    0,
    "a",
    { parameters: [["a.weight", 1, 400, [100], "float32", true]], buffers: [] },
    "torch.nn.modules.linear.Linear",
  ),
  module(2, 0, "b", NONE, "torch.nn.modules.activation.LeakyReLU"),
  module(3, 0, "c", NONE, "torch.nn.modules.normalization.LayerNorm"),
  step(1, 4, MEASURED),
  {
    record: "activations",
    root: 0,
    step: 1,
    rows: [
      [1, 10, 160, [4], "float32", true, "input"],
      [2, 11, 600, [4], "float32", true, "layer"],
      [3, 12, 600, [4], "float32", true, "layer"],
      [0, 13, 400, [4], "float32", true, "layer"],
      [3, 14, 200, [4], "int64", false, "layer"],
    ],
  },
]);

function answers(context: TrainingContext = CONTEXT, choices = {}) {
  const [root] = NET.roots;
  if (root === undefined) throw new Error("no root");
  return allWhatIfs({ account: NET, root, context, choices });
}

function estimate(kind: WhatIfKind, context: TrainingContext = CONTEXT, choices = {}): WhatIf {
  const found = answers(context, choices).estimates.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
}

describe("what-ifs", () => {
  it("answers each kind once, by an estimate or a reason", () => {
    const { estimates, refused } = answers();
    expect([...estimates, ...refused].map(({ kind }) => kind).sort()).toEqual([...WHAT_IF_KINDS].sort());
    for (const { now, changed, symbols, formula, notes } of estimates) {
      expect(changed.low).toBeGreaterThanOrEqual(0);
      expect(changed.low).toBeLessThanOrEqual(changed.bytes);
      expect(changed.high).toBeGreaterThanOrEqual(changed.bytes);
      expect(now.bytes).toBeGreaterThan(0);
      expect(symbols.every(({ value }) => value >= 0)).toBe(true);
      expect(formula).not.toBe("");
      expect(notes.length).toBeGreaterThan(0);
    }
  });

  it("halves under AMP what autocast surely runs in 16 bits, and adds the copies it keeps", () => {
    const { changed, notes } = estimate("amp", { ...CONTEXT, computeCapability: "5.3" });
    // Of 1800, LeakyReLU's 600 go to 300, and a sixth of the 200 beside; half of the weights and of the input come.
    expect(changed.bytes).toBeCloseTo(1500 + 200 * (1 - 1 / 6) + 200 + 80, 9);
    // Were the layer norm and the model's own code halved too.
    expect(changed.low).toBe(1800 - 300 - 500 + 100 + 200 + 80);
    expect(notes.join(" ")).toContain("no tensor cores");
  });

  it("takes one step's figures, also where the chain was seen at another batch size than the layers show", () => {
    const tensors = { parameters: [["w", 1, 400, [100], "float32", true]], buffers: [] };
    const linear = "torch.nn.modules.linear.Linear";
    const saved = (step: number, bytes: number) => {
      const rows = [[1, step, bytes, [4], "float32", true, "layer"]];
      return { record: "activations", root: 0, step, rows };
    };
    const account = accountOf([
      HEADER,
      { record: "root", root: 0, type: "Net", device: "cpu" },
      module(0, 0, "", NONE, "mine.Net"),
      module(1, 0, "a", tensors, linear),
      step(1, 4, { inputs: [] }),
      saved(1, 1000),
      { record: "chain", root: 0, step: 1, rows: [[1, 50, 0, 51, 0]] },
      step(2, 40, { inputs: [] }),
      saved(2, 10_000),
    ]);
    const [root] = account.roots;
    if (root === undefined) throw new Error("no root");
    const { estimates } = allWhatIfs({ account, root, context: CONTEXT });
    const now = Object.fromEntries(estimates.map((one) => [one.kind, one.now.bytes]));
    expect(now).toMatchObject({ amp: 10_000, accumulation: 10_000, checkpoint: 1000 });
    expect(estimates.find(({ kind }) => kind === "amp")?.changed.bytes).toBe(5000 + 200);
  });

  it("takes away under in-place what a layer keeps of its input while the next keeps the result", () => {
    const { now, changed } = estimate("in-place");
    expect(changed.bytes).toBe(now.bytes - 600);
    expect(changed.high).toBe(now.bytes);
  });

  it("divides the batch under accumulation", () => {
    const { changed, choice, verify } = estimate("accumulation", CONTEXT, { accumulation: 4 });
    expect(choice).toEqual({ name: "parts", value: 4, least: 2, most: 4 });
    expect(changed).toEqual({ bytes: 500, low: 0.98 * 500, high: 1.02 * (2000 - 3 * 400) });
    expect(verify).toMatchObject({ kind: "edit", code: expect.stringContaining("batch_size=1") });
  });

  it("is measured under accumulation by a run at the small batch", () => {
    const run = {
      run: "r",
      root: "Net",
      batch: 2,
      peak: 1100,
      measure: "cuda-allocated",
      sameArguments: false,
    } as const;
    expect(estimate("accumulation", { ...CONTEXT, others: [run] }).measured).toEqual({ run: "r", bytes: 1100 });
  });

  it("counts a moved tensor twice while it is copied, on shared memory only", () => {
    const at = { path: "train.py", line: 3 };
    const moves = [{ made: at, moved: { ...at, line: 4 }, bytes: 800_000_000 }];
    const { now, changed } = estimate("on-device", { ...CONTEXT, moves });
    expect(now.bytes - changed.bytes).toBe(800_000_000);
    const { refused } = answers({ ...CONTEXT, moves, sharedMemory: false });
    expect(refused.find(({ kind }) => kind === "on-device")?.reason).toContain("do not share");
  });

  it("needs no training step for what is moved", () => {
    const untrained = accountOf([
      HEADER,
      { record: "root", root: 0, type: "Net", device: "cpu" },
      module(0, 0, "", NONE),
    ]);
    const [root] = untrained.roots;
    if (root === undefined) throw new Error("no root");
    const at = { path: "infer.py", line: 3 };
    const context = { ...CONTEXT, moves: [{ made: at, moved: { ...at, line: 4 }, bytes: 800 }] };
    const { estimates, refused } = allWhatIfs({ account: untrained, root, context });
    expect(estimates.map(({ kind, changed }) => [kind, changed.bytes])).toEqual([["on-device", 800]]);
    expect(new Set(refused.map(({ reason }) => reason))).toEqual(
      new Set(["No training step of this model was recorded."]),
    );
  });

  it("adds workers and pinned batches for the loader, and says what could not be read", () => {
    const loader = [{ path: "train.py", line: 9, workers: 2, pinned: true }];
    const read = estimate("loader", { ...CONTEXT, loader, workers: { count: 2, bytes: 5000 } });
    expect(read.now).toEqual({ bytes: 5000 + 4 * 160, low: 5000, high: 5640 });
    const unread = estimate("loader", { ...CONTEXT, loader });
    expect(unread.now.bytes).toBe(640);
    expect(unread.notes[0]).toContain("could not be read");
  });
});
