/** What the status bar says of a board's memory at one moment. */
import { GROUP_LABELS, GROUP_ORDER, groupTotals, makeLedger } from "../../board/ledger/ledger.ts";
import type { Moment } from "../../board/moments/model.ts";
import { formatBytes } from "../../profile/format.ts";

export interface MemoryStatus {
  /** `RAM 2.9 of 3.9 GiB`. */
  readonly text: string;
  /** `scarce`: little is available; `critical`: less than half of that, and the kernel may soon end a process. */
  readonly level: "ample" | "scarce" | "critical";
  /** For people who rest the pointer on it: what, and how much. */
  readonly rows: readonly (readonly [label: string, figure: string])[];
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const LEAST_SHARE = 0.05;
const LEAST_BYTES = 150 * MIB;

/** @param baseline the moment right before the run's script was started */
export function memoryStatus(moment: Moment, baseline?: Moment): MemoryStatus {
  const { MemTotal: total, MemAvailable: available, SwapTotal: swap, SwapFree: swapFree } = moment.meminfo;
  const groups = groupTotals(makeLedger(moment, baseline));
  const used = total === undefined || available === undefined ? undefined : total - available;
  return {
    text: `RAM ${used === undefined ? "?" : gib(used)} of ${total === undefined ? "?" : gib(total)} GiB`,
    level: level(total, available),
    rows: [
      ["Available", size(available)],
      ...GROUP_ORDER.flatMap((group) =>
        groups[group] === undefined ? [] : [[GROUP_LABELS[group], size(groups[group])] as const],
      ),
      ["Swap used", swapText(swap, swapFree)],
    ],
  };
}

function level(total: number | undefined, available: number | undefined): MemoryStatus["level"] {
  if (total === undefined || available === undefined) return "ample";
  const limit = Math.max(total * LEAST_SHARE, LEAST_BYTES);
  if (available >= limit) return "ample";
  return available >= limit / 2 ? "scarce" : "critical";
}

function swapText(total: number | undefined, free: number | undefined): string {
  if (total === undefined || free === undefined) return "not known";
  return total === 0 ? "there is none" : `${formatBytes(total - free)} of ${formatBytes(total)}`;
}

const size = (bytes: number | undefined): string => (bytes === undefined ? "not known" : formatBytes(bytes));
const gib = (bytes: number): string => (bytes / GIB).toFixed(1);
