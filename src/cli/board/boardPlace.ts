/** Where a board is, and whether it or its files are simulated, as the commands say it. */
import type { RunOrigin } from "../../profile/model.ts";
import { originName, targetName } from "../../profile/run/origin.ts";
import type { TargetAddress } from "../../protocol/run/run.ts";
import { formatTarget } from "../../remote/address.ts";
import { t } from "../../words/t.ts";

/** @param simulated what stands for the board's own files */
export function placeOf(target: TargetAddress, simulated: string | undefined): string {
  return targetName(formatTarget(target), target.kind === "loopback", simulated);
}

/** Of a run; undefined where nothing is known. */
export function placeOfRun(origin: RunOrigin | undefined, simulated: string | undefined): string | undefined {
  if (origin !== undefined) return originName(origin, simulated);
  return simulated && t("simulated {0}", simulated);
}
