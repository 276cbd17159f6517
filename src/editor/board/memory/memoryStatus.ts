/** What the status bar says of a board's memory at one moment. */
import { tightLimit } from "../../../board/ending/lastMoments.ts";
import { GROUP_ORDER, groupLabel, groupTotals, makeLedger } from "../../../board/ledger/ledger.ts";
import type { Moment } from "../../../board/moments/model.ts";
import { formatBytes, inUnit, sizeUnit } from "../../../profile/text/format.ts";
import { t } from "../../../words/t.ts";

export interface MemoryStatus {
  /** `RAM 2970 of 3964 MiB`, `RAM 24.1 of 61.4 GiB`. */
  readonly text: string;
  /** `scarce`: little is available; `critical`: less than half of that, and the kernel may soon end a process. */
  readonly level: "ample" | "scarce" | "critical";
  /** For people who rest the pointer on it: what, and how much. */
  readonly rows: readonly (readonly [label: string, figure: string])[];
}

/** @param baseline the moment right before the run's script was started */
export function memoryStatus(moment: Moment, baseline?: Moment): MemoryStatus {
  const { MemTotal: total, MemAvailable: available, SwapTotal: swap, SwapFree: swapFree } = moment.meminfo;
  const groups = groupTotals(makeLedger(moment, baseline));
  const used = total === undefined || available === undefined ? undefined : total - available;
  return {
    text: ramText(used, total),
    level: level(total, available),
    rows: [
      [t("Available"), size(available)],
      ...GROUP_ORDER.flatMap((group) =>
        groups[group] === undefined ? [] : [[groupLabel(group), size(groups[group])] as const],
      ),
      [t("Swap used"), swapText(swap, swapFree)],
    ],
  };
}

/** Both in the unit of the whole, and MiB without decimals: they move all the time. */
function ramText(used: number | undefined, total: number | undefined): string {
  const unit = sizeUnit(total ?? used ?? 0);
  const decimals = unit.name === "GiB" ? 1 : 0;
  const text = (bytes: number | undefined): string =>
    bytes === undefined ? "?" : inUnit(bytes, { ...unit, decimals });
  return t("RAM {0} of {1} {2}", text(used), text(total), unit.name);
}

function level(total: number | undefined, available: number | undefined): MemoryStatus["level"] {
  if (total === undefined || available === undefined) return "ample";
  const limit = tightLimit(total);
  if (available >= limit) return "ample";
  return available >= limit / 2 ? "scarce" : "critical";
}

function swapText(total: number | undefined, free: number | undefined): string {
  if (total === undefined || free === undefined) return t("not known");
  return total === 0 ? t("there is none") : t("{0} of {1}", formatBytes(total - free), formatBytes(total));
}

const size = (bytes: number | undefined): string => (bytes === undefined ? t("not known") : formatBytes(bytes));
