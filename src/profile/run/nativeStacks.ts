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
 * Half the width within which 19 of 20 figures lie, at most. Of blocks far smaller than `mean` one in `mean` bytes is met
 * by chance; larger ones are counted whole, so a figure that holds some of them is more certain.
 */
export function samplingBand(bytes: number, mean: number): number {
  return bandOf(mean * Math.max(0, bytes), mean);
}

/**
 * The same by a variance that was estimated from the samples themselves, in bytes². Where too few were met, that is too
 * small as well, and two standard errors hold for 84 of 100 figures only: four more samples' worth (as the interval of
 * Agresti and Coull has it) makes it 95, however few there are. bench/heap/agreement.py looks. What is less than any
 * sample's is left of rounding: there large blocks alone were met, which are exact.
 */
export function bandOf(variance: number, mean: number): number {
  return variance > (mean / 64) ** 2 ? 2 * Math.sqrt(variance + 4 * mean * mean) : 0;
}
