/** The runs of a project, as lists show them. */
import * as fs from "node:fs";
import * as path from "node:path";
import { setImmediate } from "node:timers/promises";
import { newestFirst } from "../../profile/run/runNames.ts";
import { listRunFolders } from "../../profile/run/runsFolder.ts";
import type { RunListEntry } from "../model.ts";
import { readSummary } from "./readSummary.ts";
import { type Index, type Indexed, readIndex, writeIndex } from "./runIndex.ts";

export interface RunList {
  /**
   * All runs below these folders, newest first by their names.
   * @throws UserError `runs-folder`
   */
  runs(folders: readonly string[]): Promise<readonly RunListEntry[]>;
}

/** Runs that are looked at in one go: others get their turn after each. */
const AT_ONCE = 25;
/** The files that are changed in their place, if only by hand; the folder tells of those that come, go or are replaced. */
const TELLING = ["", "run.json", "label.json", "samples.jsonl"];
/**
 * Milliseconds. File systems keep times in steps of up to two seconds: what changed so shortly before it was read may
 * change again and look the same.
 */
const SETTLED_AFTER = 3_000;

/** Whoever lists more than once keeps this: it reads only the runs that changed. */
export function createRunList(): RunList {
  const known = new Map<string, Index>();

  async function below(runsFolder: string): Promise<readonly RunListEntry[]> {
    const folders = await listRunFolders(runsFolder);
    const before = known.get(runsFolder) ?? (await readIndex(runsFolder));
    const index = new Map<string, Indexed>();
    const entries: RunListEntry[] = [];
    for (const [at, folder] of folders.entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) await setImmediate();
      const { entry, lasting } = look(folder, before.get(path.basename(folder)));
      if (entry !== undefined) entries.push(entry);
      if (lasting !== undefined) index.set(path.basename(folder), lasting);
    }
    known.set(runsFolder, index);
    if ([...index].some(([name, lasting]) => before.get(name) !== lasting)) await writeIndex(runsFolder, index);
    return entries;
  }

  return {
    async runs(folders) {
      const entries = (await Promise.all(folders.map(below))).flat();
      const compare = newestFirst();
      return entries.sort((a, b) => compare(nameOf(a), nameOf(b)));
    },
  };
}

interface Look {
  /** Absent where the folder has gone meanwhile. */
  readonly entry?: RunListEntry;
  /** What may be said again as long as the files look the same. */
  readonly lasting?: Indexed;
}

function look(folder: string, last: Indexed | undefined): Look {
  const began = Date.now();
  const found = stampOf(folder);
  if (found !== undefined && found.stamp === last?.stamp)
    return { entry: { kind: "run", run: last.run }, lasting: last };
  try {
    const run = readSummary(folder);
    // A run that goes on changes, with or without us seeing it.
    const settled = found !== undefined && run.state === "finished" && began - found.newest > SETTLED_AFTER;
    return { entry: { kind: "run", run }, ...(settled ? { lasting: { stamp: found.stamp, run } } : {}) };
  } catch (error) {
    return found?.stamp === "" ? {} : { entry: { kind: "unreadable", folder, reason: (error as Error).message } };
  }
}

/** How the run's files look from outside, empty where there is none; undefined where they may not be looked at. */
function stampOf(folder: string): { readonly stamp: string; readonly newest: number } | undefined {
  let newest = 0;
  let stamp = "";
  try {
    for (const name of TELLING) {
      const stat = fs.lstatSync(name === "" ? folder : `${folder}${path.sep}${name}`, { throwIfNoEntry: false });
      if (stat === undefined) continue;
      newest = Math.max(newest, stat.mtimeMs, stat.ctimeMs);
      stamp += `${name} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size},`;
    }
  } catch {
    return undefined;
  }
  return { stamp, newest };
}

function nameOf(entry: RunListEntry): string {
  return path.basename(entry.kind === "run" ? entry.run.folder : entry.folder);
}
