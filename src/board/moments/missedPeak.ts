/** The run's peak where it lies between the records of the board's memory, so that none of them shows it. */
import { formatBytes } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import type { Ledger } from "../ledger/model.ts";
import type { Moment } from "./model.ts";
import type { MomentTable } from "./momentTable.ts";

/** The ledger of that moment, with a note where it is the record of the peak and does not show all of it. */
export function withMissedPeak(
  ledger: Ledger,
  moments: MomentTable,
  index: number,
  rssPeak: number | undefined,
): Ledger {
  if (index !== moments.peak() || moments.peakKind() !== "held") return ledger;
  const missed = missedPeakText(moments.moment(index), rssPeak);
  return missed === undefined ? ledger : { ...ledger, notes: [missed, ...ledger.notes] };
}

/**
 * A sentence for the record at which the run held the most; undefined where that is the peak, or nothing is known.
 * @param rssPeak highest RSS of the main process, bytes
 */
export function missedPeakText({ processes, run }: Moment, rssPeak: number | undefined): string | undefined {
  const ofRun = new Set(run);
  const held = processes.filter(({ pid }) => ofRun.has(pid)).reduce((sum, { rss }) => sum + rss, 0);
  if (rssPeak === undefined || held === 0 || held >= rssPeak) return undefined;
  const [most, here] = [formatBytes(rssPeak), formatBytes(held)];
  if (most === here) return undefined;
  return t(
    "Between two records the script's main process reached {0} (RSS), the run's peak; here it is {1}.",
    most,
    here,
  );
}
