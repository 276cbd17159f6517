/** Where runs lie at home: `<project>/.jetson-memprof/runs/<id>/`. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { UserError } from "./userError.ts";

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
  try {
    const made = await fs.mkdir(runs, { recursive: true });
    if (made !== undefined) {
      await fs.writeFile(path.join(projectFolder, HOME, ".gitignore"), "*\n", { flag: "wx" }).catch(ignoreExisting);
    }
  } catch (error) {
    throw new UserError(
      "runs-folder",
      `The folder for runs, ${runs}, cannot be made: ${(error as Error).message}`,
      "Check that you may write there, or choose another place for the run.",
      { cause: error },
    );
  }
  return runs;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

/** The run folders below `runsFolder`, newest first (their names begin with the time); empty where it is missing. */
export async function listRunFolders(runsFolder: string): Promise<string[]> {
  try {
    const entries = await fs.readdir(runsFolder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(entry.name))
      .map((entry) => path.join(runsFolder, entry.name))
      .sort()
      .reverse();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw new UserError(
      "runs-folder",
      `The runs in ${runsFolder} cannot be listed: ${(error as Error).message}`,
      "Check that you may read the folder.",
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
