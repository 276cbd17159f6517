/** What massif counted, by the options that it wrote into its file. */
import type { MassifFile } from "./model.ts";

/** Every mapped page, instead of the blocks of the heap. */
export function countsPages({ description }: Pick<MassifFile, "description">): boolean {
  return /(?:^|\s)--pages-as-heap=yes(?:\s|$)/.test(description);
}

/**
 * Bytes allocated between two samples, on average, where what the file has was sampled by our helper; else undefined. Of a
 * process that was sampled ever more sparsely, those at its end.
 */
export function sampledMean({ description }: Pick<MassifFile, "description">): number | undefined {
  const found = /(?:^|\s)--jetson-memprof-heap mean=(\d{1,12})(?=\s|$)(?:.*?\slast-mean=(\d{1,12})(?=\s|$))?/.exec(
    description,
  );
  const mean = Math.max(Number(found?.[1] ?? 0), Number(found?.[2] ?? 0));
  return mean > 0 ? mean : undefined;
}

/** The most frames of a stack that massif kept. */
export function longestStack({ description }: Pick<MassifFile, "description">): number {
  return Number(/(?:^|\s)--depth=(\d+)(?:\s|$)/.exec(description)?.[1] ?? MASSIFS_DEPTH);
}

/** Without the option. */
const MASSIFS_DEPTH = 30;

/** Massif's figure for the stacks' memory is 0 both where there is none and where it was not measured. */
export function countsStacks({ description, snapshots }: Pick<MassifFile, "description" | "snapshots">): boolean {
  return /(?:^|\s)--stacks=yes(?:\s|$)/.test(description) || snapshots.some(({ stacks }) => stacks > 0);
}
