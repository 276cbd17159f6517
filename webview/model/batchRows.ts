/** Batch sizes worth listing, and whether each fits. */
import { type BatchModel, memoryAt } from "../../src/torch/whatif/batch.ts";
import type { Estimate } from "../../src/torch/whatif/model.ts";

/** `perhaps`: the free memory lies between the least and the most that it may take. */
export type Fit = "yes" | "perhaps" | "no";

export interface BatchRow {
  readonly batch: number;
  readonly memory: Estimate;
  readonly fit?: Fit;
}

const MOST_ROWS = 12;

export function fitOf({ low, high }: Estimate, free: number): Fit {
  if (high <= free) return "yes";
  return low <= free ? "perhaps" : "no";
}

/**
 * Powers of two up to the first beyond what fits, and the sizes that were measured.
 * @param largest the largest batch that fits; where it is not known, up to four times the largest that ran
 */
export function batchRows(model: BatchModel, largest: number | undefined, free: number | undefined): BatchRow[] {
  const ran = [
    ...model.measured.map(({ batch }) => batch),
    ...(model.shape?.batches ?? []),
    ...(model.sizes?.batches ?? []),
  ];
  const most = largest === undefined ? 4 * Math.max(1, ...ran) : Math.max(1, largest);
  const powers: number[] = [];
  for (let batch = 1; batch <= 2 * most; batch *= 2) powers.push(batch);
  const sizes = [...new Set([...powers.slice(-MOST_ROWS), ...ran, ...(largest ? [largest] : [])])];
  return sizes
    .sort((a, b) => a - b)
    .map((batch) => {
      const memory = memoryAt(model, batch);
      return { batch, memory, ...(free === undefined ? {} : { fit: fitOf(memory, free) }) };
    });
}
