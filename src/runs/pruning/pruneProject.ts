/** Keeps a project's runs within limits: looks at what is there, decides, moves and removes. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { nameTime } from "../../profile/run/runNames.ts";
import { runsFolderOf } from "../../profile/run/runsFolder.ts";
import { mapBounded } from "../concurrency.ts";
import { groupKey } from "../list/arrange.ts";
import { createRunList } from "../list/runList.ts";
import type { RunListEntry } from "../model.ts";
import { deleteRun, listDeleted, removeForGood } from "./deleted.ts";
import { choosePruning, type DeletedSize, type KeptRun, type Limits, type Pruning } from "./prune.ts";

const AT_ONCE = 16;

export interface PrunePlan extends Pruning {
  /** Of all that is there now. */
  readonly runs: number;
  readonly bytes: number;
}

/**
 * What pruning would do. Nothing is touched.
 * @param guards a run that must stay whatever the limits say, as one that is shown
 * @throws UserError `runs-folder`
 */
export async function planPruning(
  projectFolder: string,
  limits: Limits,
  guards: (runFolder: string) => boolean,
): Promise<PrunePlan> {
  const entries = await byAge(await createRunList().runs([runsFolderOf(projectFolder)]));
  const sized = limits.maxBytes > 0;
  const size = async (folder: string): Promise<number> => (sized ? await sizeOfFolder(folder) : 0);
  const guardedGroups = new Set(entries.map((entry) => (isGuarded(entry, guards) ? groupOf(entry) : undefined)));
  const runs = await mapBounded(entries, AT_ONCE, async (entry): Promise<KeptRun> => {
    const group = groupOf(entry);
    const guarded = isGuarded(entry, guards) || (group !== undefined && guardedGroups.has(group));
    return { folder: folderOf(entry), bytes: await size(folderOf(entry)), guarded };
  });
  const deleted = await mapBounded(await listDeleted(projectFolder), AT_ONCE, async (run): Promise<DeletedSize> => {
    return { ...run, bytes: await size(run.folder) };
  });
  const bytes = [...runs, ...deleted].reduce((sum, item) => sum + item.bytes, 0);
  return { runs: runs.length, bytes, ...choosePruning(runs, deleted, limits, Date.now()) };
}

export interface Pruned {
  /** Where the deleted runs lie now. */
  readonly moved: readonly string[];
  /** Deleted runs that are removed for good. */
  readonly forgotten: readonly string[];
  readonly failures: readonly Error[];
}

/** Carries the plan out, as far as it goes. */
export async function prune({ remove, forget }: Pick<Pruning, "remove" | "forget">): Promise<Pruned> {
  const moved: string[] = [];
  const forgotten: string[] = [];
  const failures: Error[] = [];
  for (const folder of forget) {
    await removeForGood([folder]).then(
      () => forgotten.push(folder),
      (error) => failures.push(error),
    );
  }
  for (const folder of remove) {
    await deleteRun(folder).then(
      (place) => moved.push(place),
      (error) => failures.push(error),
    );
  }
  return { moved, forgotten, failures };
}

/**
 * The last run first, then from the youngest to the oldest. An imported run is as old as its record: what it measured
 * may lie years back, or its name in the future.
 */
async function byAge([last, ...others]: readonly RunListEntry[]): Promise<readonly RunListEntry[]> {
  if (last === undefined) return [];
  const dated = await mapBounded(others, AT_ONCE, async (entry) => ({ entry, made: await madeAt(entry) }));
  const youngestFirst = dated.sort((a, b) => (a.made === b.made ? 0 : a.made < b.made ? 1 : -1));
  return [last, ...youngestFirst.map(({ entry }) => entry)];
}

/** In the form of a name. */
async function madeAt(entry: RunListEntry): Promise<string> {
  const name = path.basename(folderOf(entry));
  if (entry.kind === "unreadable" || entry.run.imported === undefined) return name;
  const record = await fs.stat(path.join(entry.run.folder, "run.json")).catch(() => undefined);
  return record === undefined ? name : nameTime(record.mtime);
}

/** Pinned, going on as far as anybody knows, or of a kind that this version cannot judge. */
function isGuarded(entry: RunListEntry, guards: (runFolder: string) => boolean): boolean {
  return (
    entry.kind === "unreadable" || entry.run.label.pinned || entry.run.state === "running" || guards(entry.run.folder)
  );
}

function groupOf(entry: RunListEntry): string | undefined {
  return entry.kind === "run" ? groupKey(entry.run) : undefined;
}

function folderOf(entry: RunListEntry): string {
  return entry.kind === "run" ? entry.run.folder : entry.folder;
}

/** Bytes of the files in a folder; links are not followed, and what cannot be looked at counts nothing. */
export async function sizeOfFolder(folder: string): Promise<number> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOfFolder(place);
    else if (entry.isFile()) bytes += (await fs.lstat(place).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
