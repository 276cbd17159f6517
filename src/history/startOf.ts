/** When a run began, where the board's clock cannot be trusted. */
import * as path from "node:path";

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
 * When a run began. Boards without a battery begin in 1970, and clocks are set back: then the time that this computer
 * put into the folder's name counts, and where that cannot be either the time is unknown.
 */
export function startOf(run: Dated, now: Date): Date | undefined {
  const told = Date.parse(run.started ?? "");
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(path.basename(run.folder)) ?? [];
  const [year = Number.NaN, month = 1, ...rest] = parts.map(Number);
  const here = Date.UTC(year, month - 1, ...rest);
  const believed = run.imported !== undefined || Number.isNaN(here) || Math.abs(told - here) < CLOCKS_APART;
  const time = believed ? told : here;
  return Number.isNaN(time) || time > now.getTime() + CLOCKS_APART ? undefined : new Date(time);
}
