/** The names of runs, and of what is made of several. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs/promises";
import { nameTime, newestName, timeInName } from "../profile/run/runNames.ts";

/**
 * `YYYYMMDD-HHMMSS-<stem>-<6 hex>`, in UTC. The first three digits of the tail are the milliseconds, so that the
 * names of short runs of one script within a second are in their order too; the others are random.
 * @param stem of the script's or module's name: `train`
 */
export function newRunId(stem: string, now: Date = new Date()): string {
  const readable = stem.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 60);
  const tail = now.getUTCMilliseconds().toString(16).padStart(3, "0") + randomBytes(2).toString("hex").slice(1);
  return `${nameTime(now)}-${readable}-${tail}`;
}

/**
 * A name that comes after all that are there, also where the clock was set back since: the order of names is the order
 * in which runs were made.
 * @param runsFolder need not be there
 */
export async function nextRunId(runsFolder: string, stem: string, now: Date = new Date()): Promise<string> {
  const id = newRunId(stem, now);
  const newest = newestName(await fs.readdir(runsFolder).catch(() => []), now);
  return newest === undefined || newest < id ? id : newRunId(stem, new Date(timeInName(newest) + 1000));
}

/** Of repeats; one name for all of them, and nothing goes by its time. */
export const newGroupId = newRunId;
