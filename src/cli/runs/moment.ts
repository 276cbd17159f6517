/** A moment of a run as it is typed: `5m` after it began, or `-30s` before what is known last. */
import type { RunReader } from "../../profile/run/runFolder.ts";
import { formatDuration } from "../../profile/text/format.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { usageError } from "../commandLine/options.ts";

export interface Moment {
  readonly from: "begin" | "end";
  readonly ms: number;
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** @throws UserError `usage` */
export function readMoment(text: string): Moment {
  const [, minus, amount, unit] = /^(-?)(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) {
    throw usageError(
      t(
        '--since takes a time of the run such as 90s, 5m or 1.5h, or one before its last record such as -30s, not "{0}".',
        text,
      ),
    );
  }
  return { from: minus === "" ? "begin" : "end", ms: Number(amount) * UNITS[unit as keyof typeof UNITS] };
}

/**
 * In ms since the run began.
 * @throws UserError `no-such-moment`
 */
export function momentOf({ from, ms }: Moment, reader: Pick<RunReader, "lastSample">): number {
  const last = reader.lastSample()?.t ?? 0;
  const moment = from === "begin" ? ms : Math.max(0, last - ms);
  if (moment <= last) return moment;
  throw new UserError(
    "no-such-moment",
    t("The run is known until {0}, and {1} is later.", formatDuration(last), formatDuration(moment)),
    t("Of a run that goes on, bring home what there is now: jetson-memprof attach RUN --once"),
  );
}
