import { describe, expect, it } from "vitest";
import type { BatchModel } from "../../../src/torch/whatif/batch.ts";
import { batchRows, fitOf } from "./batchRows.ts";

/** 1 MiB for each sample above 100 MiB, or twice that. */
const MIB = 1024 * 1024;
const MODEL: BatchModel = {
  shape: { bytes: MIB, batches: [48] },
  inputPerSample: 0,
  fixed: { model: { bytes: 100 * MIB, low: 100 * MIB, high: 100 * MIB }, assumed: [] },
  measured: [],
  lines: [
    { from: "shape", base: 0, perSample: MIB },
    { from: "sizes", base: 0, perSample: 2 * MIB },
  ],
};

describe("batch sizes", () => {
  it("fit for certain up to the lower bound, perhaps up to the upper one, and not beyond", () => {
    const largest = { batch: 150, low: 100, high: 200, evidence: [] };
    expect([100, 101, 200, 201].map((batch) => fitOf(batch, largest))).toEqual(["yes", "perhaps", "perhaps", "no"]);
  });

  it("never fit for certain where the lower bound is not known", () => {
    expect(fitOf(1, { batch: 150, high: 200, evidence: [] })).toBe("perhaps");
  });

  it("listed are powers of two to the first that does not fit, what ran and what fits", () => {
    const rows = batchRows(MODEL, { batch: 100, low: 50, high: 100, evidence: [] });
    expect(rows.map(({ batch }) => batch)).toEqual([1, 2, 4, 8, 16, 32, 48, 50, 64, 100, 128]);
    expect(rows.at(-1)).toEqual({
      batch: 128,
      memory: { bytes: 228 * MIB, low: 228 * MIB, high: 356 * MIB },
      fit: "no",
    });
  });

  it("listed are four times what ran where it is not known what is free", () => {
    const rows = batchRows(MODEL, undefined);
    expect(rows.map(({ batch }) => batch)).toEqual([1, 2, 4, 8, 16, 32, 48, 64, 128, 256]);
    expect(rows.every(({ fit }) => fit === undefined)).toBe(true);
  });

  it("listed is a batch of one where not even that fits", () => {
    const rows = batchRows(MODEL, { batch: 0, low: 0, high: 0, evidence: [] });
    expect(rows.map(({ batch, fit }) => [batch, fit])).toEqual([
      [1, "no"],
      [48, "no"],
    ]);
  });
});
