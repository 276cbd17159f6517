/** How much of the board's memory was left (MemAvailable), from both records of a run. Bytes. */
import type { PlacedSample } from "../../profile/run/runFolder.ts";
import type { MomentTable } from "./momentTable.ts";

/** Right before the run. */
export function availableBefore(moments: MomentTable): number | undefined {
  return availableAt(moments, moments.baseline);
}

/** The least of a run that was read. The samples come oftener than the moments, so a short dip may be in them only. */
export function leastAvailable(moments: MomentTable | undefined, samples: readonly PlacedSample[]): number | undefined {
  return samples.reduce(
    (least, { memAvailable: one }) => (least === undefined || (one !== undefined && one < least) ? one : least),
    moments && availableAt(moments, moments.leastAvailable()),
  );
}

/** By how much the memory in use grew above what it was right before the run; undefined where one is not known. */
export function boardGrowth(moments: MomentTable, samples: readonly PlacedSample[]): number | undefined {
  const before = availableBefore(moments);
  const least = leastAvailable(moments, samples);
  return before === undefined || least === undefined ? undefined : Math.max(0, before - least);
}

function availableAt(moments: MomentTable, index: number | undefined): number | undefined {
  return index === undefined ? undefined : moments.moment(index).meminfo["MemAvailable"];
}
