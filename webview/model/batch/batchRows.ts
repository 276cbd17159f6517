/** Batch sizes worth listing, and whether each fits. */
import { defined } from "../../../src/profile/defined.ts";
import { type BatchModel, type LargestBatch, memoryAt } from "../../../src/torch/whatif/batch.ts";
import type { Estimate } from "../../../src/torch/whatif/model.ts";

/** `perhaps`: it fits by the least that it may take, and not by the most, or the most is not known. */
export type Fit = "yes" | "perhaps" | "no";

export interface BatchRow {
  readonly batch: number;
  readonly memory: Estimate;
  readonly fit?: Fit;
}

const MOST_ROWS = 12;

export function fitOf(batch: number, { low, high }: LargestBatch): Fit {
  if (low !== undefined && batch <= low) return "yes";
  return batch <= high ? "perhaps" : "no";
}

/**
 * Powers of two up to the first beyond what may fit, the largest that fits and the sizes that ran.
 * @param largest absent where it is not known what is free: up to four times the largest that ran
 */
export function batchRows(model: BatchModel, largest: LargestBatch | undefined): BatchRow[] {
  const { measured, shape, sizes } = model;
  const ran = [...measured.map(({ batch }) => batch), ...(shape?.batches ?? []), ...(sizes?.batches ?? [])];
  const most = largest === undefined ? 4 * Math.max(...ran) : largest.high;
  const powers = [1];
  for (let batch = 2; batch <= 2 * most; batch *= 2) powers.push(batch);
  const fits = largest === undefined ? [] : [largest.batch, ...(largest.low === undefined ? [] : [largest.low])];
  return [...new Set([...powers.slice(-MOST_ROWS), ...ran, ...fits])]
    .filter((batch) => batch > 0)
    .sort((a, b) => a - b)
    .map((batch) => ({
      batch,
      memory: memoryAt(model, batch),
      ...defined({ fit: largest === undefined ? undefined : fitOf(batch, largest) }),
    }));
}
