import type { ProcessInfo } from "../model.ts";

/**
 * The highest RSS of one process of a run, bytes: of the main one, or where a launcher started the script several times,
 * of the rank that went highest. Undefined where none is known.
 *
 * @param main of the main process
 */
export function peakOfRun(main: number | undefined, processes: readonly ProcessInfo[] = []): number | undefined {
  const peaks = [main, ...processes.map(({ rssPeak }) => rssPeak)].filter((peak) => peak !== undefined);
  return peaks.length === 0 ? undefined : Math.max(...peaks);
}
