/** Which runs are meant by one side of a comparison. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { runsFolderOf } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import { readKeeping } from "../../runs/keeping.ts";
import { createRunList } from "../../runs/list/runList.ts";
import type { RunGroup } from "../../runs/model.ts";
import { t } from "../../words/t.ts";
import { findRun } from "../runs/runLookup.ts";

/** As a series of runs is called. */
const SERIES = /^\d{8}-\d{6}-[A-Za-z0-9._-]+$/;

/**
 * @param text a run as of `findRun`, several joined by commas, or the id of a series of repeats
 * @param repeats take each run with those that were made together with it
 * @returns run folders, absolute, each once
 * @throws UserError `no-such-run`, `not-repeats`
 */
export async function findSide(text: string, project: string, repeats: boolean): Promise<string[]> {
  const series = SERIES.test(text) ? await runsOfSeries(text, runsFolderOf(project)) : [];
  if (series.length > 0) return series;
  const folders: string[] = [];
  for (const folder of await namedRuns(text, project)) {
    folders.push(...(repeats ? await withRepeats(folder) : [folder]));
  }
  if (folders.length > 0) return [...new Set(folders)];
  throw new UserError("no-such-run", t('"{0}" names no run.', text), t('See "jetson-memprof runs".'));
}

/** The name of a run may have a comma in it, and so may its path. */
async function namedRuns(text: string, project: string): Promise<string[]> {
  const parts = text.split(",").filter((part) => part !== "");
  if (parts.length > 1) {
    const whole = await namedRun(text, project);
    if (whole !== undefined) return [whole];
  }
  return await Promise.all(parts.map((part) => findRun(part, project)));
}

/** Undefined where no run is called so. */
async function namedRun(text: string, project: string): Promise<string | undefined> {
  const runFile = await fs.stat(path.join(path.resolve(text), "run.json")).catch(() => undefined);
  if (runFile?.isFile() === true) return path.resolve(text);
  if (/[\\/]/.test(text)) return undefined;
  try {
    return await findRun(text, project);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

interface Member {
  readonly folder: string;
  readonly group: RunGroup;
}

async function runsOfSeries(id: string, runsFolder: string): Promise<string[]> {
  const members = await membersOf(id, runsFolder);
  const [first] = members;
  if (first === undefined) return [];
  if (members.every(({ group }) => sameRun(group, first.group))) return members.map(({ folder }) => folder);
  throw new UserError(
    "not-repeats",
    t("{0} is a sweep: its runs have different parameters, so they are not repeats of one another.", id),
    t("Name one of its runs, with --repeats where each was made several times."),
  );
}

/** The run with those that were made together with it, run folders. */
export async function withRepeats(folder: string): Promise<string[]> {
  const { group } = await readKeeping(folder);
  if (group === undefined) return [folder];
  const members = await membersOf(group.id, path.dirname(folder));
  const repeats = members.filter((member) => sameRun(member.group, group)).map((member) => member.folder);
  // A run that was copied elsewhere, or is reached by a link, may not be in the list of its folder.
  return repeats.includes(folder) ? repeats : [folder];
}

/** The runs of a group in the order in which they were made. */
async function membersOf(id: string, runsFolder: string): Promise<Member[]> {
  const entries = await createRunList().runs([runsFolder]);
  return entries
    .flatMap((entry): Member[] =>
      entry.kind === "run" && entry.run.group?.id === id ? [{ folder: entry.run.folder, group: entry.run.group }] : [],
    )
    .sort((a, b) => a.group.index - b.group.index);
}

function sameRun(a: RunGroup, b: RunGroup): boolean {
  return valuesOf(a) === valuesOf(b);
}

function valuesOf(group: RunGroup): string {
  if (group.kind === "repeat") return "";
  return JSON.stringify(Object.entries(group.values).sort(([a], [b]) => (a < b ? -1 : 1)));
}
