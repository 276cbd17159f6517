/** The names of runs, and of what is made of several. */
import { randomBytes } from "node:crypto";

/**
 * `YYYYMMDD-HHMMSS-<stem>-<6 hex>`, in UTC. The first three digits of the tail are the milliseconds, so that the
 * names of short runs of one script within a second are in their order too; the others are random.
 * @param stem of the script's or module's name: `train`
 */
export function newRunId(stem: string, now: Date = new Date()): string {
  const [date = "", time = ""] = now.toISOString().split("T");
  const readable = stem.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 60);
  const tail = now.getUTCMilliseconds().toString(16).padStart(3, "0") + randomBytes(2).toString("hex").slice(1);
  return `${date.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${readable}-${tail}`;
}

/** Of runs that are made together; one name for all of them. */
export const newGroupId = newRunId;
