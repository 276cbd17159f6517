/** Where runs lie at home: `<project>/.jetson-memprof/runs/<id>/`. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { t } from "../../words/t.ts";
import { makeFolder } from "../files/makeFolder.ts";
import { UserError } from "../userError.ts";
import { newestFirst } from "./runNames.ts";

const HOME = ".jetson-memprof";

export function runsFolderOf(projectFolder: string): string {
  return path.join(projectFolder, HOME, "runs");
}

/**
 * Makes the folder where it is missing, with a `.gitignore` that keeps measured sources and output out of commits.
 * @returns the runs folder
 * @throws UserError `runs-folder`
 */
export async function ensureRunsFolder(projectFolder: string): Promise<string> {
  const runs = runsFolderOf(projectFolder);
  await refuseLinks(projectFolder);
  try {
    if (await makeFolder(path.resolve(runs))) {
      await fs.writeFile(path.join(projectFolder, HOME, ".gitignore"), "*\n", { flag: "wx" }).catch(ignoreExisting);
    }
  } catch (error) {
    throw new UserError(
      "runs-folder",
      t("The folder for runs, {0}, cannot be created: {1}", runs, (error as Error).message),
      t("Check that you may write there, or choose another place for the run."),
      { cause: error },
    );
  }
  return runs;
}

/** The first of our folders in a project in whose place there is a link. */
export async function linkedFolder(projectFolder: string): Promise<string | undefined> {
  const home = path.join(projectFolder, HOME);
  for (const folder of [home, path.join(home, "runs"), path.join(home, "deleted")]) {
    if ((await fs.lstat(folder).catch(() => undefined))?.isSymbolicLink() === true) return folder;
  }
  return undefined;
}

/**
 * A link may have come with somebody's project, to have files written or removed where it leads.
 * @throws UserError `runs-folder-linked`
 */
export async function refuseLinks(projectFolder: string): Promise<void> {
  const linked = await linkedFolder(projectFolder);
  if (linked === undefined) return;
  throw new UserError(
    "runs-folder-linked",
    t(
      "{0} is a link to another folder. It may have come with the project, so nothing is written or removed there.",
      linked,
    ),
    t(
      "Replace the link by a folder. To keep runs on another disk, mount the disk there, or name its folder with --out in a terminal.",
    ),
  );
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

/** The run folders below `runsFolder`, newest first by their names; empty where it is missing. */
export async function listRunFolders(runsFolder: string): Promise<string[]> {
  try {
    const entries = await fs.readdir(runsFolder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(entry.name))
      .map(({ name }) => name)
      .sort(newestFirst())
      .map((name) => path.join(runsFolder, name));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw new UserError(
      "runs-folder",
      t("The runs in {0} cannot be listed: {1}", runsFolder, (error as Error).message),
      t("Check that you may read the folder."),
      { cause: error },
    );
  }
}

/** The project a run folder belongs to, where it lies in the usual place. */
export function projectOfRun(runFolder: string): string | undefined {
  const runs = path.dirname(path.resolve(runFolder));
  const home = path.dirname(runs);
  return path.basename(runs) === "runs" && path.basename(home) === HOME ? path.dirname(home) : undefined;
}
