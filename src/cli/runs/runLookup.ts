/** Which run folder is meant by what was typed. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { listRunFolders, runsFolderOf } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import { runAmong } from "../../runs/list/runAmong.ts";
import { t } from "../../words/t.ts";

/**
 * @param text a folder, or what `runAmong` takes
 * @returns the run folder, absolute
 * @throws UserError `no-such-run`
 */
export async function findRun(text: string, project: string): Promise<string> {
  const folder = path.resolve(text);
  // `last` and names are looked up; whatever looks like a place is taken for one.
  const isPlace = /[\\/]/.test(text) || text === "." || text === "..";
  if (isPlace || (await isRunFolder(folder))) return folder;
  const runsFolder = runsFolderOf(project);
  const found = await runAmong(text, await listRunFolders(runsFolder));
  if (found !== undefined) return found;
  throw text === "last"
    ? new UserError(
        "no-such-run",
        t("There are no runs in {0}.", runsFolder),
        t('Profile a script first, or say where the project is with "--project FOLDER".'),
      )
    : new UserError(
        "no-such-run",
        t('There is no run "{0}" in {1}.', text, runsFolder),
        t('See "jetson-memprof runs", or say where the project is with "--project FOLDER".'),
      );
}

async function isRunFolder(folder: string): Promise<boolean> {
  const stat = await fs.stat(path.join(folder, "run.json")).catch(() => undefined);
  return stat?.isFile() === true;
}
