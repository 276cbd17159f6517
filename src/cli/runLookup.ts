/** Which run folder is meant by what was typed. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { mapBounded } from "../history/concurrency.ts";
import { readKeeping } from "../history/keeping.ts";
import { listRunFolders, runsFolderOf } from "../profile/runsFolder.ts";
import { UserError } from "../profile/userError.ts";
import { t } from "../words/t.ts";

/**
 * @param text a folder, `last`, the name its user gave it, or its id or the beginning of that
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
      t("There are no runs in {0}.", runsFolderOf(project)),
      t('Profile a script first, or say where the project is with "--project FOLDER".'),
    );
  }
  const exact = runs.find((run) => path.basename(run) === text);
  if (exact !== undefined) return exact;
  const named = await runsNamed(text, runs);
  const found = named.length > 0 ? named : runs.filter((run) => path.basename(run).startsWith(text));
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only;
  throw only === undefined
    ? new UserError(
        "no-such-run",
        t('There is no run "{0}" in {1}.', text, runsFolderOf(project)),
        t('See "jetson-memprof runs", or say where the project is with "--project FOLDER".'),
      )
    : new UserError(
        "no-such-run",
        t(
          '"{0}" is {1} of {2} runs: {3}.',
          text,
          named.length > 0 ? t("the name") : t("the beginning"),
          found.length,
          found.map((run) => path.basename(run)).join(", "),
        ),
        named.length > 0 ? t("Type one of these instead.") : t("Type more of it."),
      );
}

/** The runs that their user gave exactly this name. */
async function runsNamed(name: string, folders: readonly string[]): Promise<readonly string[]> {
  const labels = await mapBounded(folders, 16, async (folder) => (await readKeeping(folder)).label);
  return folders.filter((_folder, at) => labels[at]?.name === name);
}

async function isRunFolder(folder: string): Promise<boolean> {
  const stat = await fs.stat(path.join(folder, "run.json")).catch(() => undefined);
  return stat?.isFile() === true;
}
