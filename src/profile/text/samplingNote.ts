/** What people should know of figures that come of sampled allocations. */

import { t } from "../../words/t.ts";
import { samplingBand } from "../run/nativeStacks.ts";
import { formatBytes } from "./format.ts";

const MIB = 1024 * 1024;

/** @param mean bytes allocated between two samples, on average */
export function samplingNote(mean: number): string {
  const off = (mib: number): string => formatBytes(samplingBand(mib * MIB, mean));
  return t(
    "One in {0} that were allocated was sampled, and every larger block, so these figures are estimates: 19 of 20 are closer than ± {1} for 10 MiB and ± {2} for 100 MiB, closer still where large blocks are in them.",
    meanText(mean),
    off(10),
    off(100),
  );
}

/** Stands where a title does. */
export function samplingTitle(mean: number): string {
  return t("Native stacks, sampled: one in {0}", meanText(mean));
}

function meanText(mean: number): string {
  return mean % 1024 === 0 ? `${mean / 1024} KiB` : formatBytes(mean);
}
