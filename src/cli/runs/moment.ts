/** The moment of a run that `--since` names. */

import type { RunReader } from "../../profile/run/runFolder.ts";
import { laterThanKnown, type Moment, momentAt, parseMoment } from "../../profile/text/moment.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { usageError } from "../commandLine/options.ts";

/** @throws UserError `usage` */
export function readMoment(text: string): Moment {
  const moment = parseMoment(text);
  if (moment !== undefined) return moment;
  throw usageError(
    t(
      '--since takes a time of the run such as 90s, 5m or 1.5h, or one before its last record such as -30s, not "{0}".',
      text,
    ),
  );
}

/**
 * In ms since the run began.
 * @throws UserError `no-such-moment`
 */
export function momentOf(wanted: Moment, reader: Pick<RunReader, "lastSample">): number {
  const last = reader.lastSample()?.t ?? 0;
  const moment = momentAt(wanted, last);
  if (moment <= last) return moment;
  throw new UserError(
    "no-such-moment",
    laterThanKnown(last, moment),
    t("Of a run that goes on, bring home what there is now: jetson-memprof attach RUN --once"),
  );
}
