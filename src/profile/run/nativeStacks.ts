/** Whether a run has native stacks, and how they came about. Pure. */
import type { RunInfo } from "../model.ts";

/** How many bytes were allocated between two samples, on average; undefined where none were taken. */
export function sampledMean({ heap }: Pick<RunInfo["engine"], "heap">): number | undefined {
  return heap?.state === "sampled" ? heap.mean : undefined;
}

/** Whether there is something for the flame view. */
export function hasNativeStacks(engine: RunInfo["engine"]): boolean {
  return engine.name === "massif" || sampledMean(engine) !== undefined;
}

/**
 * Half the width within which 19 of 20 figures lie: two standard errors, at most. Of blocks far smaller than `mean` one
 * in `mean` bytes is met by chance; larger ones are counted whole, so a figure that holds some of them is more certain.
 */
export function samplingBand(bytes: number, mean: number): number {
  return 2 * Math.sqrt(mean * Math.max(0, bytes));
}
