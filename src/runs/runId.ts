/** The names of runs, and of what is made of several. */
import { randomBytes } from "node:crypto";
import * as fs from "node:fs/promises";
import * as path from "node:path";
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

/** What a run's folder is called that no list of runs shows, until all of it is there. */
export function unfinishedName(id: string): string {
  return `.${id}.part`;
}

/**
 * Makes a run under a name that nothing has yet: of those that begin within a millisecond, two may be given the same one.
 * A name that is taken, also meanwhile, leaves the next millisecond to try.
 * @param name as newRunId or nextRunId gives it
 * @param make takes the name by making a folder of it, which only one can; what it throws is thrown where it was free
 */
export async function withFreeRunId<T>(
  runsFolder: string,
  name: (time: Date) => string | Promise<string>,
  make: (id: string) => Promise<T>,
  time: Date = new Date(),
): Promise<T> {
  for (let later = 0; ; later++) {
    const id = await name(new Date(time.getTime() + later));
    if (await isTaken(runsFolder, id)) continue;
    try {
      return await make(id);
    } catch (error) {
      if (!saysTaken(error) || !(await isTaken(runsFolder, id))) throw error;
    }
  }
}

async function isTaken(runsFolder: string, id: string): Promise<boolean> {
  const found = [id, unfinishedName(id)].map((name) => fs.lstat(path.join(runsFolder, name)).catch(() => undefined));
  return (await Promise.all(found)).some((entry) => entry !== undefined);
}

/** Of the error of a system call, or one that it is the cause of. */
function saysTaken(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException;
  return code === "EEXIST" || code === "ENOTEMPTY" || (cause !== undefined && saysTaken(cause));
}

/** Of repeats; one name for all of them, and nothing goes by its time. */
export const newGroupId = newRunId;
