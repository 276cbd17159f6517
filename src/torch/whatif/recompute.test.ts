import { describe, expect, it } from "vitest";
import { accountOf, HEADER, MIB, module, step, toy, uneven } from "../model/testing.ts";
import { allWhatIfs } from "./allWhatIfs.ts";
import type { TrainingContext } from "./context.ts";
import type { WhatIf, WhatIfKind } from "./model.ts";
import { CONTEXT } from "./testing.ts";

function estimate(
  account: ReturnType<typeof toy>,
  kind: WhatIfKind,
  value?: number,
  context: TrainingContext = CONTEXT,
): WhatIf {
  const [root] = account.roots;
  if (root === undefined) throw new Error("no root");
  const answers = allWhatIfs({ account, root, context, choices: value === undefined ? {} : { [kind]: value } });
  const found = answers.estimates.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(answers.refused.find((one) => one.kind === kind)?.reason);
  return found;
}

/**
 * Peaks above a step's beginning, measured on real PyTorch 1.13 on the CPU by the helper's own trials: 16 layers whose
 * input takes 8 MiB, 16 MiB inside each (concatenation and sigmoid).
 */
const SIGMOID = toy({ layers: 16, x: 8 * MIB, y: 16 * MIB, batch: 4096, peak: 424.2 * MIB, outputSaved: false });
/** Likewise: 8 layers of 2 MiB, 16 MiB inside each (repetition and ReLU), and a loss that keeps the output. */
const RELU = toy({ layers: 8, x: 2 * MIB, y: 16 * MIB, batch: 512, peak: 158.3 * MIB, outputSaved: true });

/** Likewise: ten layers of very different sizes, of which a heavy one in the middle is never at the plain run's peak. */
const UNEVEN = uneven(
  2 * MIB,
  [
    { out: 2, inner: 4 },
    { out: 2, inner: 0 },
    { out: 2, inner: 24 },
    { out: 8, inner: 0 },
    { out: 8, inner: 0 },
    { out: 8, inner: 32 },
    { out: 1, inner: 1, outputSaved: false },
    { out: 1, inner: 20 },
    { out: 1, inner: 0 },
    { out: 1, inner: 6 },
  ].map(({ out, inner, outputSaved = true }) => ({ out: out * MIB, inner: inner * MIB, outputSaved })),
  256,
  131 * MIB,
);

const MEASURED = [
  ["checkpoint", SIGMOID, { 1: 200.2, 2: 160.1, 4: 176.1, 8: 256.1, 16: 440.2 }],
  ["checkpoint", RELU, { 1: 50.1, 2: 60.1, 4: 92.1 }],
  ["checkpoint", UNEVEN, { 1: 102.1, 2: 98.0, 3: 98.0, 4: 99.0, 5: 91.0 }],
  ["nano-batch", UNEVEN, { 4: 54.3, 8: 46.4 }],
  ["nano-batch", SIGMOID, { 2: 168.2, 4: 152.3, 8: 144.5 }],
  ["nano-batch", RELU, { 2: 34.1, 4: 26.2, 8: 22.4 }],
] as const;

describe("estimates of computing activations again", () => {
  const cases = MEASURED.flatMap(([kind, account, peaks]) =>
    Object.entries(peaks).map(([value, peak]) => ({ kind, account, value: Number(value), peak: peak * MIB })),
  );
  it.each(cases)("predicts the measured peak within 5 %: $kind $value", ({ kind, account, value, peak }) => {
    const { changed } = estimate(account, kind, value);
    expect(Math.abs(changed.bytes / peak - 1)).toBeLessThanOrEqual(0.05);
    expect(changed.low).toBeLessThanOrEqual(peak);
    expect(changed.high).toBeGreaterThanOrEqual(peak);
  });

  it.each([
    ["sigmoid", SIGMOID],
    ["relu", RELU],
    ["uneven", UNEVEN],
  ])("puts changes in the order in which they were measured: %s", (_, account) => {
    const of = cases.filter((one) => one.account === account);
    const byEstimate = (one: (typeof cases)[number]) => estimate(account, one.kind, one.value).changed.bytes;
    const names = (list: typeof of) => list.map(({ kind, value }) => `${kind}:${value}`);
    expect(names([...of].sort((a, b) => byEstimate(a) - byEstimate(b)))).toEqual(
      names([...of].sort((a, b) => a.peak - b.peak)),
    );
  });

  it("has formulas that can be followed: the symbols give the figure", () => {
    const value = (whatIf: WhatIf, symbol: string) => whatIf.symbols.find((one) => one.symbol === symbol)?.value ?? 0;
    const every = estimate(RELU, "checkpoint", 2);
    const [k, r, o, e, u] = ["K", "R", "O", "E", "U"].map((symbol) => value(every, symbol));
    expect((k ?? 0) + (r ?? 0) + 2 * (o ?? 0) + (e ?? 0) + (u ?? 0)).toBeCloseTo(every.changed.bytes, 3);
    const nano = estimate(RELU, "nano-batch", 4);
    const [K, W, E, L, U, C] = ["K", "W", "E", "L", "U", "C"].map((symbol) => value(nano, symbol));
    expect((K ?? 0) + (W ?? 0) + (E ?? 0) + ((L ?? 0) + (U ?? 0)) / (C ?? 1)).toBeCloseTo(nano.changed.bytes, 3);
  });

  it("shows the textbook's figure beside it", () => {
    const { textbook } = estimate(toy({ layers: 6, x: 10, y: 30, batch: 2, outputSaved: false }), "checkpoint", 2);
    expect(textbook).toEqual({ formula: "X·N/M + X·(M − 1) + Y·M", bytes: 10 * 3 + 10 + 60 });
    const nano = estimate(toy({ layers: 6, x: 10, y: 30, batch: 2, outputSaved: false }), "nano-batch", 2);
    expect(nano.textbook).toEqual({ formula: "N·X + Y/C", bytes: 75 });
  });

  it("chooses the size of groups that holds the least, where none is chosen", () => {
    expect(estimate(SIGMOID, "checkpoint").choice).toMatchObject({ value: 2, least: 1, most: 16 });
  });

  it("has an upper bound only, where no peak was measured", () => {
    const { now, changed, notes } = estimate(
      toy({ layers: 4, x: 10, y: 100, batch: 8, outputSaved: false }),
      "checkpoint",
      1,
    );
    expect(now).toEqual({ bytes: 430, low: 430, high: 430 });
    // Inputs of the last three, the last one's inside, and its output with the gradient.
    expect(changed).toEqual({ bytes: 30 + 100 + 20, low: 150, high: 150 + 210 });
    expect(notes.join(" ")).toContain("No peak was measured");
  });

  it("takes real layers one by one: the heaviest group decides, not the last", () => {
    const none = { parameters: [], buffers: [] };
    const account = accountOf([
      HEADER,
      { record: "root", root: 0, type: "Sequential", device: "cpu" },
      module(0, 0, "", none, "torch.nn.Sequential"),
      module(1, 0, "0", none, "A"),
      module(2, 0, "1", none, "B"),
      step(1, 4),
      {
        record: "chain",
        root: 0,
        step: 1,
        rows: [
          [1, 50, 160, 51, 40],
          [2, 51, 40, 52, 8],
        ],
      },
      {
        record: "activations",
        root: 0,
        step: 1,
        rows: [
          [1, 50, 160, [4], "float32", true, "input"],
          [1, 60, 1000, [4], "float32", true, "layer"],
          [2, 51, 40, [4], "float32", true, "layer"],
          [2, 61, 100, [4], "float32", true, "layer"],
        ],
      },
    ]);
    // The first: its input was there before, 1000 inside, output and gradient 40 each. The second: 40 + 100 + 16.
    expect(estimate(account, "checkpoint", 1).changed.bytes).toBe(1080);
  });

  it("is measured where a run with the very same change is there", () => {
    const trial = { kind: "checkpoint", every: 2 } as const;
    const other = {
      run: "r1",
      root: "Sequential",
      trial,
      batch: 512,
      peak: 63,
      measure: "rss",
      sameArguments: true,
    } as const;
    const context = { ...CONTEXT, others: [other] };
    expect(estimate(RELU, "checkpoint", 2, context).measured).toEqual({ run: "r1", bytes: 63 });
    expect(estimate(RELU, "checkpoint", 4, context).measured).toBeUndefined();
    for (const change of [
      { batch: 8 },
      { root: "Other" },
      { sameArguments: false },
      { measure: "cuda-allocated" },
    ] as const) {
      const none = { ...CONTEXT, others: [{ ...other, ...change }] };
      expect(estimate(RELU, "checkpoint", 2, none).measured).toBeUndefined();
    }
  });

  it("is refused in words without a chain, for a batch norm, and for a run that has a change already", () => {
    const none = { parameters: [], buffers: [] };
    const saved = { record: "activations", root: 0, step: 1, rows: [[0, 1, 8, [4], "float32", true, "layer"]] };
    const base = [
      HEADER,
      { record: "root", root: 0, type: "Net", device: "cpu" },
      module(0, 0, "", none),
      step(1, 4),
      saved,
    ];
    expect(() => estimate(accountOf(base), "checkpoint")).toThrow("No chain of layers was found");
    const norm = [
      ...base.slice(0, 3),
      module(1, 0, "bn", none, "torch.nn.modules.batchnorm.BatchNorm2d"),
      ...base.slice(3),
      { record: "chain", root: 0, step: 1, rows: [[1, 5, 8, 6, 8]] },
    ];
    expect(() => estimate(accountOf(norm), "nano-batch")).toThrow("bn is a batch norm");
    const tried = [...base, { record: "trial", kind: "amp", applied: "autocast", refused: null }];
    expect(() => estimate(accountOf(tried), "checkpoint")).toThrow("made with a change already (amp)");
    expect(() => estimate(accountOf(base.slice(0, 3)), "checkpoint")).toThrow("No training step");
  });
});
