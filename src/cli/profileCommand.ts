/** `profile` and `attach`: a run from here, followed to its end and printed. */
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import { openRunFolder } from "../profile/runFolder.ts";
import { ensureRunsFolder } from "../profile/runsFolder.ts";
import { UserError } from "../profile/userError.ts";
import { DEFAULT_BOARD_FOLDER, type ProfileRequest, type RunOutcome } from "../protocol/board.ts";
import { parseTarget } from "../remote/address.ts";
import { profileRun } from "../remote/profileRun.ts";
import { resumeRun } from "../remote/resumeRun.ts";
import type { AttachCommand, Entry, ProfileCommand } from "./commandLine.ts";
import { exitStatus, FAILURE, INTERRUPTED } from "./exitStatus.ts";
import { followRun, type Surroundings } from "./followRun.ts";
import { usageError } from "./options.ts";
import { isBelow } from "./places.ts";
import { printReport, type ReportOptions } from "./report.ts";
import { massifRequest } from "./requestMassif.ts";
import { findRun } from "./runLookup.ts";

const OUTPUT_LIMIT = 64 * 1024 * 1024;
const MOMENTS_INTERVAL_MS = 1_000;

/**
 * @returns the exit status
 * @throws UserError
 */
export async function profile(command: ProfileCommand, helperFolder: string, around: Surroundings): Promise<number> {
  return await conclude(await record(command, helperFolder, around), command, around);
}

/**
 * Makes the run and follows it to its end; what was measured is not printed.
 * @throws UserError
 */
export async function record(command: ProfileCommand, helperFolder: string, around: Surroundings): Promise<RunOutcome> {
  const target = parseTarget(command.target);
  const { projectFolder, entry } = await locate(command.entry, command.project);
  if (command.project === undefined && target.kind !== "local") await refuseHome(projectFolder);
  const runsFolder = command.out === undefined ? await ensureRunsFolder(projectFolder) : await madeFolder(command.out);
  const tell = (note: string): void => {
    if (!command.quiet) around.stderr.write(`Note: ${note}\n`);
  };
  const massif = command.massif && (await massifRequest(command.massif, { projectFolder, entry, runsFolder, tell }));
  const request: ProfileRequest = {
    target,
    projectFolder,
    entry,
    args: command.args,
    engine: command.engine,
    exact: command.exact,
    accelerator: command.accelerator,
    environment: command.environment,
    excludes: command.excludes,
    boardFolder: DEFAULT_BOARD_FOLDER,
    runsFolder,
    ...(massif === undefined ? {} : { massif }),
    ...(command.torch === undefined ? {} : { torch: command.torch }),
    outputLimit: OUTPUT_LIMIT,
    momentsIntervalMs: MOMENTS_INTERVAL_MS,
    ...(command.python === undefined ? {} : { python: command.python }),
  };
  return await followRun(
    (dependencies) => profileRun(request, dependencies),
    { json: command.json, quiet: command.quiet, anyway: command.massif?.anyway === true, helperFolder },
    around,
  );
}

/**
 * @returns the exit status
 * @throws UserError
 */
export async function attach(command: AttachCommand, helperFolder: string, around: Surroundings): Promise<number> {
  const folder = await findRun(command.run, path.resolve(command.project ?? "."));
  const outcome = await followRun(
    (dependencies) => resumeRun(folder, command.python === undefined ? {} : { python: command.python }, dependencies),
    { json: command.json, quiet: command.quiet, anyway: false, helperFolder },
    around,
  );
  return await conclude(outcome, { ...command, metric: "rss" }, around);
}

/** Prints what was measured, however the run ended; a failure is told after it. */
async function conclude(
  outcome: RunOutcome,
  { json, quiet, metric }: Pick<ProfileCommand, "json" | "quiet" | "metric">,
  around: Surroundings,
): Promise<number> {
  const status =
    outcome.folder === undefined
      ? undefined
      : await printRun(outcome.folder, outcome, { format: json ? "json" : "table", metric }, around);
  if (outcome.folder !== undefined && !json && !quiet) around.stdout.write(`\nRun folder: ${outcome.folder}\n`);
  if (outcome.kind === "failed") throw outcome.error;
  if (outcome.kind === "cancelled" && outcome.folder === undefined) {
    around.stderr.write("Cancelled before the script was started; nothing was measured.\n");
  }
  return outcome.kind === "cancelled" ? INTERRUPTED : (status ?? FAILURE);
}

/** @returns the script's exit status */
async function printRun(
  folder: string,
  outcome: RunOutcome,
  options: ReportOptions,
  { stdout, env }: Surroundings,
): Promise<number | undefined> {
  const reader = openRunFolder(folder);
  try {
    await reader.refresh();
  } catch (error) {
    // A run that failed early has nothing to print: its own error says more.
    if (outcome.kind !== "finished") return undefined;
    throw error;
  }
  if (options.format !== "json") stdout.write("\n");
  await printReport(reader, options, stdout, env);
  return exitStatus(reader.profile().run.exit);
}

/**
 * The project is what `--project` says, else the current folder where the script lies below it, else the script's. The
 * home folder is nobody's project.
 */
async function locate(
  entry: Entry,
  project: string | undefined,
): Promise<{ readonly projectFolder: string; readonly entry: Entry }> {
  const here = process.cwd();
  if (project !== undefined && !(await isKind(project, "folder"))) throw usageError(`There is no folder ${project}.`);
  if (entry.kind === "module") return { projectFolder: path.resolve(project ?? here), entry };
  const script = path.resolve(entry.path);
  if (!(await isKind(script, "file"))) throw usageError(`There is no script ${entry.path}.`);
  const nearest = isBelow(script, here) && !(await holdsHome(here)) ? here : path.dirname(script);
  const projectFolder = path.resolve(project ?? nearest);
  if (!isBelow(script, projectFolder)) {
    throw usageError(`The script ${entry.path} lies outside the project folder ${projectFolder}.`);
  }
  const relative = path.relative(projectFolder, script).split(path.sep).join("/");
  return { projectFolder, entry: { kind: "script", path: relative } };
}

async function holdsHome(folder: string): Promise<boolean> {
  // A service account's home need not be there.
  const realpath = (name: string) => fs.realpath(name).catch(() => name);
  const [home, real] = await Promise.all([realpath(os.homedir()), realpath(folder)]);
  return real === home || isBelow(home, real);
}

/** A project is sent as a whole: keys and other people's secrets must not go along unasked. */
async function refuseHome(projectFolder: string): Promise<void> {
  if (!(await holdsHome(projectFolder))) return;
  throw usageError(
    `All of ${projectFolder}, with your home folder, would be sent to the board. ` +
      "Put the script into a folder of its own, or name the folder to send with --project.",
  );
}

async function isKind(place: string, kind: "file" | "folder"): Promise<boolean> {
  const stat = await fs.stat(place).catch(() => undefined);
  return kind === "file" ? stat?.isFile() === true : stat?.isDirectory() === true;
}

async function madeFolder(folder: string): Promise<string> {
  const absolute = path.resolve(folder);
  try {
    await fs.mkdir(absolute, { recursive: true });
  } catch (error) {
    throw new UserError(
      "runs-folder",
      `The folder ${absolute} cannot be made: ${(error as Error).message}`,
      "Give another folder with --out.",
      { cause: error },
    );
  }
  return absolute;
}
