/** How much of a history is kept, as the settings say. */
import { DAY_MS, type Limits } from "../../../runs/pruning/prune.ts";
import { t } from "../../../words/t.ts";
import { checkedSettings, type ReadSetting } from "../../settings/checked.ts";

const MIB = 2 ** 20;

/** What cannot be read is an error: nothing is removed by a guess. @throws UserError `bad-setting` */
export function historyLimits(read: ReadSetting): Limits {
  const setting = checkedSettings(read, (id, expected) => t("No run is pruned: the setting {0} {1}.", id, expected));
  return {
    maxRuns: setting("history.maxRuns"),
    maxBytes: setting("history.maxSizeMiB") * MIB,
    deletedFor: setting("history.deletedDays") * DAY_MS,
  };
}
