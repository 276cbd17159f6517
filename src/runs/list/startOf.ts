/** When a run began, where the board's clock cannot be trusted. */
import * as path from "node:path";
import { CLOCKS_SET, timeInName } from "../../profile/run/runNames.ts";

/** Of a run what tells when it began. */
interface Dated {
  readonly folder: string;
  /** ISO 8601, by the board's clock. */
  readonly started?: string | undefined;
  /** It was made by another tool: then only its file knows the time. */
  readonly imported?: unknown;
}

/** Milliseconds that the clocks of a board and of this computer may be apart before one of them must be wrong. */
const CLOCKS_APART = 10 * 60_000;

/**
 * When a run began. Boards without a battery begin in 1970: then the time that this computer put into the folder's name
 * counts. Where that is still to come, as this computer's clock was set back, the board's counts if it was ever set.
 */
export function startOf(run: Dated, now: Date): Date | undefined {
  const told = Date.parse(run.started ?? "");
  const here = timeInName(path.basename(run.folder));
  const believed = run.imported !== undefined || Number.isNaN(here) || Math.abs(told - here) < CLOCKS_APART;
  const times = believed ? [told] : [here, ...(told < CLOCKS_SET ? [] : [told])];
  const time = times.find((one) => one <= now.getTime() + CLOCKS_APART);
  return time === undefined ? undefined : new Date(time);
}
