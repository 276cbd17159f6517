/** A board's memory as lines of a terminal, one for each moment, below one another. */
import type { Moment } from "../../../board/moments/model.ts";
import { formatBytes, orUnknown, UNKNOWN } from "../../../profile/text/format.ts";
import { padStart } from "../../../profile/text/table.ts";
import { t } from "../../../words/t.ts";

const WIDTHS = [9, 11, 11, 11, 8];

const row = (cells: readonly string[]): string => cells.map((cell, at) => padStart(cell, WIDTHS[at] ?? 0)).join("  ");

export const watchHeader = (): string => row([t("Time"), t("RAM used"), t("Available"), t("Swap used"), t("GPU load")]);

/** Used is what is not available. What could not be read is `–`. */
export function momentLine({ t, meminfo, gpuLoad }: Moment): string {
  const { MemTotal, MemAvailable, SwapTotal, SwapFree } = meminfo;
  return row([
    `${(t / 1000).toFixed(1)} s`,
    difference(MemTotal, MemAvailable),
    orUnknown(MemAvailable, formatBytes),
    difference(SwapTotal, SwapFree),
    orUnknown(gpuLoad, (load) => `${Math.round(load * 100)} %`),
  ]);
}

function difference(total: number | undefined, free: number | undefined): string {
  return total === undefined || free === undefined ? UNKNOWN : formatBytes(total - free);
}
