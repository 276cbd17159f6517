import { describe, expect, it } from "vitest";
import type { ModelAccount, RootAccount } from "../model/model.ts";
import { accountOf, MIB, SMALL, step } from "../model/testing.ts";
import { type BatchModel, batchModel, largestBatch, memoryAt, peakAt } from "./batch.ts";
import type { MeasuredRun, TrainingContext } from "./context.ts";
import { CONTEXT } from "./testing.ts";

/** Four samples: 1616 bytes that grow with the batch and 24 that do not, 520 of weights, 400 + 808 beside them. */
function modelOf(changes: object, context: TrainingContext = CONTEXT): BatchModel {
  const account = accountOf([...SMALL, step(1, 4, changes), step(2, 4, changes)]);
  const model = batchModel(account, rootOf(account), context);
  if (model === undefined) throw new Error("no model");
  return model;
}

function rootOf({ roots }: ModelAccount): RootAccount {
  const [root] = roots;
  if (root === undefined) throw new Error("no root");
  return root;
}

function other(changes: Partial<MeasuredRun>): TrainingContext {
  return { ...CONTEXT, others: [{ run: "r", root: "Net", sameArguments: false, ...changes }] };
}

const MEASURED = { measure: "rss", memory_before: 10_000, memory_peak: 12_000 };

describe("memory over the batch size", () => {
  it("grows by what the shapes say for each sample", () => {
    const model = modelOf({});
    expect(model.shape).toEqual({ bytes: 404, batches: [4] });
    expect(model.inputPerSample).toBe(40);
    expect(model.fixed.model.bytes).toBe(440 + 80 + 400 + 808);
    expect(peakAt(model, 4).bytes).toBe(1640);
    expect(memoryAt(model, 8).bytes).toBe(1728 + 24 + 8 * (404 + 40));
  });

  it("is compared with what two batch sizes say", () => {
    const { sizes, disagreement } = modelOf({}, other({ batch: 8, activations: 1640 + 4 * 505 }));
    expect(sizes).toEqual({ bytes: 505, batches: [4, 8] });
    expect(disagreement).toBeCloseTo(0.25, 12);
  });

  it("does not know how little is safe without a measured peak, or without what is outside the model", () => {
    const unmeasured = largestBatch(modelOf({}), 10_000);
    expect(unmeasured).toMatchObject({ batch: Math.floor((10_000 - 1728 - 24) / 444) });
    expect(unmeasured.low).toBeUndefined();
    expect(unmeasured.evidence.join(" ")).toContain("No peak was measured");
    expect(unmeasured.evidence.join(" ")).toContain("not known, so the batch may be much too large");
  });

  it("lies between two lines where a peak was measured at one size", () => {
    const model = modelOf(MEASURED);
    // RSS at the first step, without weights, buffers and the input.
    expect(model.fixed.outside).toBe(10_000 - 520 - 160);
    expect(peakAt(model, 8)).toEqual({ bytes: 4000, low: 0.98 * (2000 + 4 * 404), high: 1.02 * 4000 });
    const { batch, low, high } = largestBatch(model, 100_000);
    const free = 100_000 - 1728 - 9320;
    expect([batch, low]).toEqual([Math.floor(free / 540), Math.floor(free / (1.02 * 500 + 40))]);
    expect(high).toBe(Math.floor((free - 0.98 * 384) / (0.98 * 404 + 40)));
  });

  it("is narrowed by a check at another size", () => {
    const open = largestBatch(modelOf(MEASURED), 100_000);
    const check = { batch: 150, peak: 2000 + 146 * 410, measure: "rss" as const };
    const checked = largestBatch(modelOf(MEASURED, other(check)), 100_000);
    const width = ({ low = 0, high }: { readonly low?: number; readonly high: number }) => high - low;
    expect(width(checked)).toBeLessThan(width(open) / 4);
    expect(checked.evidence.join(" ")).toContain("batches of 4, 150");
    expect(checked.low ?? 0).toBeGreaterThanOrEqual(open.low ?? 0);
  });

  it("leaves room for peaks that lie beside the line, also where many were measured", () => {
    const check = { batch: 150, peak: 2000 + 146 * 500, measure: "rss" as const };
    const { low = 0, batch, high } = largestBatch(modelOf(MEASURED, other(check)), 100_000);
    expect(low).toBeLessThan(batch);
    expect(high).toBeGreaterThan(batch);
  });

  it("takes no evidence from other models, other measures or runs with a change", () => {
    const plain = modelOf(MEASURED);
    const point = { batch: 8, peak: 9000, measure: "rss" as const };
    expect(modelOf(MEASURED, other({ ...point, root: "Other" }))).toEqual(plain);
    expect(modelOf(MEASURED, other({ ...point, measure: "cuda-allocated" }))).toEqual(plain);
    expect(modelOf(MEASURED, other({ ...point, trial: { kind: "amp" } }))).toEqual(plain);
  });

  it("finds nothing that fits where the model alone is too large", () => {
    expect(largestBatch(modelOf(MEASURED), 5_000)).toMatchObject({ batch: 0, low: 0, high: 0 });
  });

  it("reads what libraries took off the board's available memory where the step was measured by CUDA", () => {
    const changes = { measure: "cuda-allocated", memory_before: 520, memory_peak: 2700, mem_available: 900 * MIB };
    const { fixed } = modelOf(changes, { ...CONTEXT, availableBefore: 2000 * MIB });
    expect(fixed.outside).toBe(1100 * MIB - 680);
    expect(modelOf(changes).fixed.outside).toBeUndefined();
  });

  it("says what it takes for granted where gradients and optimizer were not seen", () => {
    const account = accountOf(SMALL.filter((record) => !/gradients|optimizer/.test(JSON.stringify(record))));
    const model = batchModel(account, rootOf(account), CONTEXT);
    expect(model?.fixed.model).toEqual({ bytes: 520 + 400, low: 920, high: 920 + 800 });
    expect(model?.fixed.assumed).toHaveLength(2);
  });
});
