/** How much of a history is kept, as the settings say. */

import { UserError } from "../../../profile/userError.ts";
import { DAY_MS, DEFAULT_LIMITS, type Limits } from "../../../runs/pruning/prune.ts";
import { t } from "../../../words/t.ts";
import type { ReadSetting } from "../../settings/settings.ts";

const MIB = 2 ** 20;

/** What cannot be read is an error: nothing is removed by a guess. @throws UserError `bad-setting` */
export function historyLimits(read: ReadSetting): Limits {
  return {
    maxRuns: amount(read, "history.maxRuns", DEFAULT_LIMITS.maxRuns),
    maxBytes: amount(read, "history.maxSizeMiB", DEFAULT_LIMITS.maxBytes / MIB) * MIB,
    deletedFor: amount(read, "history.deletedDays", DEFAULT_LIMITS.deletedFor / DAY_MS) * DAY_MS,
  };
}

function amount(read: ReadSetting, name: string, fallback: number): number {
  const value = read(name) ?? fallback;
  if (typeof value === "number" && value >= 0 && value <= 1e9) return value;
  throw new UserError(
    "bad-setting",
    t("No run is pruned: the setting {0} must be a number, 0 or more.", `jetsonMemprof.${name}`),
    t("Correct it in the settings."),
  );
}
