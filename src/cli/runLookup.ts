/** Which run folder is meant by what was typed. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { listRunFolders, runsFolderOf } from "../profile/runsFolder.ts";
import { UserError } from "../profile/userError.ts";

/**
 * @param text a folder, `last`, or a run's name or its beginning
 * @returns the run folder, absolute
 * @throws UserError `no-such-run`
 */
export async function findRun(text: string, project: string): Promise<string> {
  const folder = path.resolve(text);
  // `last` and names are looked up; whatever looks like a place is taken for one.
  const isPlace = /[\\/]/.test(text) || text === "." || text === "..";
  if (isPlace || (await isRunFolder(folder))) return folder;
  const runs = await listRunFolders(runsFolderOf(project));
  if (text === "last") {
    const newest = runs[0];
    if (newest !== undefined) return newest;
    throw new UserError(
      "no-such-run",
      `There are no runs in ${runsFolderOf(project)}.`,
      'Profile a script first, or say where the project is with "--project FOLDER".',
    );
  }
  const exact = runs.find((run) => path.basename(run) === text);
  const found = exact === undefined ? runs.filter((run) => path.basename(run).startsWith(text)) : [exact];
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only;
  throw only === undefined
    ? new UserError(
        "no-such-run",
        `There is no run "${text}" in ${runsFolderOf(project)}.`,
        'See "jetson-memprof runs", or say where the project is with "--project FOLDER".',
      )
    : new UserError(
        "no-such-run",
        `"${text}" is the beginning of ${found.length} runs: ${found.map((run) => path.basename(run)).join(", ")}.`,
        "Type more of the name.",
      );
}

async function isRunFolder(folder: string): Promise<boolean> {
  const stat = await fs.stat(path.join(folder, "run.json")).catch(() => undefined);
  return stat?.isFile() === true;
}
