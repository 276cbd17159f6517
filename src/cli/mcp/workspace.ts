/**
 * Which runs and scripts an agent may name: those of one project. What it says is compared by real paths, as a link may
 * lead anywhere.
 */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { relativePath } from "../../profile/files/relativePath.ts";
import { linkedFolder, listRunFolders, runsFolderOf } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import { runAmong } from "../../runs/list/runAmong.ts";

export interface Workspace {
  /** Real path. */
  readonly project: string;
  /**
   * The run folders, newest first.
   * @throws UserError `runs-folder`, `runs-folder-linked`
   */
  runFolders(): Promise<readonly string[]>;
  /**
   * @param text `last`, a run's id or name or the beginning of its id, or its folder in the project
   * @returns the run's folder
   * @throws UserError `no-such-run`, `outside-workspace`, `run-linked`
   */
  run(text: string): Promise<string>;
  /**
   * @returns where a script of the project lies, relative to it
   * @throws UserError `no-such-file`, `outside-workspace`
   */
  script(text: string): Promise<string>;
}

/** @throws UserError `no-such-folder` */
export async function openWorkspace(folder: string): Promise<Workspace> {
  const project = await fs.realpath(folder).catch(() => {
    throw new UserError("no-such-folder", `There is no folder ${folder}.`, "Name the project with --project FOLDER.");
  });
  const runsFolder = runsFolderOf(project);

  async function runFolders(): Promise<readonly string[]> {
    const linked = await linkedFolder(project);
    if (linked !== undefined) throw outside(relativePath(project, linked) ?? linked);
    return await listRunFolders(runsFolder);
  }

  /** Where a name in the project leads; undefined where there is nothing. */
  async function placeOf(text: string): Promise<string | undefined> {
    const named = path.resolve(project, text);
    const real = await fs.realpath(named).catch(() => undefined);
    if (relativePath(project, real ?? named) === undefined) throw outside(text);
    return real;
  }

  /** A folder of the list that was named by its path. */
  async function byPath(text: string, folders: readonly string[]): Promise<string> {
    const real = await placeOf(text);
    const found = folders.find((one) => one === real);
    if (found === undefined) throw noRun(text);
    return found;
  }

  return {
    project,
    runFolders,
    async run(text) {
      const folders = await runFolders();
      const found = /[\\/]|^\.+$/.test(text) ? await byPath(text, folders) : await runAmong(text, folders);
      if (found === undefined) throw noRun(text);
      await refuseLinks(found);
      return found;
    },
    async script(text) {
      const real = await placeOf(text);
      const isFile = real !== undefined && (await fs.stat(real)).isFile();
      if (real === undefined || !isFile)
        throw new UserError("no-such-file", `There is no script ${quoted(text)} in the project.`);
      return relativePath(project, real) ?? "";
    },
  };
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 200));

function outside(text: string): UserError {
  return new UserError(
    "outside-workspace",
    `${quoted(text)} leads out of the project that this server was started for, so it is not read.`,
    "Start jetson-memprof mcp with --project for another project.",
  );
}

function noRun(text: string): UserError {
  return text === "last"
    ? new UserError("no-such-run", "The project has no runs yet.", "Profile a script first.")
    : new UserError("no-such-run", `The project has no run ${quoted(text)}.`, "list_runs says which there are.");
}

/**
 * A run folder that came with a project may have links among its files, to what is nobody's measurement.
 * @throws UserError `run-linked`
 */
async function refuseLinks(folder: string): Promise<void> {
  const linked = (await fs.readdir(folder, { withFileTypes: true })).find((entry) => entry.isSymbolicLink());
  if (linked === undefined) return;
  throw new UserError(
    "run-linked",
    `In the run's folder, ${quoted(linked.name)} is a link to another place, so the run is not read.`,
  );
}
