/** Which runs a folder has, looked at from time to time. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { newestFirst } from "../../../profile/run/runNames.ts";

const POLL_MS = 5_000;
/** Of so many, the newest, it is looked at whether their run.json changed: an older one has ended. */
const NEWEST = 20;

export interface FollowedEntries {
  /** When what is there at the beginning is known. */
  readonly begun: Promise<void>;
  dispose(): void;
}

/**
 * Calls `changed` when runs came to the folder, left it or went on. VS Code's own watch tells only of a
 * folder where it comes or goes with all in it, and misses what is made within one that is new itself before it looks
 * there: the runs of a project that had none, where they are copied or made in a terminal.
 * @param runsFolder need not be there
 */
export function followEntries(runsFolder: string, changed: () => void, pollMs: number = POLL_MS): FollowedEntries {
  let seen = stateOf(runsFolder);
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const before = await seen;
    seen = stateOf(runsFolder);
    const isNews = (await seen) !== before;
    isLooking = false;
    if (isNews) changed();
  };
  const poll = setInterval(look, pollMs);
  poll.unref();
  return { begun: seen.then(() => {}), dispose: () => clearInterval(poll) };
}

async function stateOf(folder: string): Promise<string> {
  const names = await namesIn(folder);
  const times = names.slice(0, NEWEST).map(async (name) => {
    const stat = await fs.stat(path.join(folder, name, "run.json")).catch(() => undefined);
    return stat === undefined ? "" : `${stat.mtimeMs} ${stat.size}`;
  });
  const state = [...names, ...(await Promise.all(times))].join("\n");
  // A run that is renamed between the two would be news twice.
  return (await namesIn(folder)).join("\n") === names.join("\n") ? state : stateOf(folder);
}

/** One that is not there, or cannot be read, has no runs: who lists them says why. */
async function namesIn(folder: string): Promise<string[]> {
  return (await fs.readdir(folder).catch(() => [])).sort(newestFirst());
}
