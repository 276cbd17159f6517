/** `profile` and `attach`: a run from here, followed to its end and printed. */
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as v from "valibot";
import { defined } from "../../profile/defined.ts";
import { readText } from "../../profile/files/fileReading.ts";
import { makeFolder } from "../../profile/files/makeFolder.ts";
import { isKind } from "../../profile/files/places.ts";
import { isBelow, relativePath } from "../../profile/files/relativePath.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import { readRunHead } from "../../profile/run/runHead.ts";
import { ensureRunsFolder } from "../../profile/run/runsFolder.ts";
import { exitText } from "../../profile/text/exitText.ts";
import { UserError } from "../../profile/userError.ts";
import { DEFAULT_BOARD_FOLDER, type ProfileRequest, type RunOutcome } from "../../protocol/run/run.ts";
import { parseTarget } from "../../remote/address.ts";
import { parseInside } from "../../remote/container/place.ts";
import { parseJson } from "../../remote/helper/callHelper.ts";
import { profileRun } from "../../remote/run/profileRun.ts";
import { resumeRun } from "../../remote/run/resumeRun.ts";
import { t } from "../../words/t.ts";
import type { AttachCommand, CancelCommand } from "../commandLine/commandLine.ts";
import { usageError } from "../commandLine/options.ts";
import { printReport, type ReportOptions } from "../runs/report.ts";
import { findRun } from "../runs/runLookup.ts";
import type { Lane } from "../terminal/lane.ts";
import { exitStatus, FAILURE, INTERRUPTED } from "./exitStatus.ts";
import { followRun, type ScriptOutput, type Surroundings } from "./followRun.ts";
import type { Entry, ProfileCommand } from "./profileCommandLine.ts";
import { linesInProject, massifRequest } from "./requestMassif.ts";

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
 * Where the runs of a command will be made, and what of.
 * @throws UserError
 */
export async function placeOfRuns(
  command: ProfileCommand,
): Promise<Pick<ProfileRequest, "target" | "projectFolder" | "entry" | "runsFolder">> {
  const what = await whatRuns(command);
  const runsFolder =
    command.out === undefined ? await ensureRunsFolder(what.projectFolder) : await madeFolder(command.out);
  return { ...what, runsFolder };
}

/**
 * What runs where; nothing is made yet.
 * @throws UserError
 */
export async function whatRuns(
  command: ProfileCommand,
): Promise<Pick<ProfileRequest, "target" | "projectFolder" | "entry">> {
  const target = parseTarget(command.target);
  const { projectFolder, entry } = await locate(command.entry, command.project);
  if (command.project === undefined && target.kind !== "local") await refuseHome(projectFolder);
  return { target, projectFolder, entry };
}

/**
 * Makes the run and follows it to its end; what was measured is not printed.
 * @throws UserError
 */
export async function record(
  command: ProfileCommand,
  helperFolder: string,
  around: Surroundings,
  output: ScriptOutput = "passed-on",
  lane?: Lane,
): Promise<RunOutcome> {
  const { target, projectFolder, entry, runsFolder } = await placeOfRuns(command);
  const tell = (note: string): void => {
    if (!command.quiet) around.stderr.write(t("Note: {0}\n", note));
  };
  const massif = command.massif && (await massifRequest(command.massif, { projectFolder, entry, runsFolder, tell }));
  const heap = command.heap && {
    ...command.heap,
    lines: await linesInProject(command.heap.lines ?? [], projectFolder),
  };
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
    boardFolder: command.boardFolder ?? DEFAULT_BOARD_FOLDER,
    runsFolder,
    ...defined({ massif, torch: command.torch, heap, group: command.group, inside: insideOf(command) }),
    ...defined({ launch: command.launch }),
    outputLimit: OUTPUT_LIMIT,
    momentsIntervalMs: MOMENTS_INTERVAL_MS,
    ...defined({ python: command.python }),
  };
  return await followRun(
    (dependencies) => profileRun(request, dependencies),
    {
      json: command.json,
      quiet: command.quiet,
      anyway: command.massif?.anyway === true,
      output,
      ...defined({ lane }),
      helperFolder,
    },
    around,
  );
}

function insideOf({ inside, containerOptions }: ProfileCommand): ProfileRequest["inside"] {
  if (inside !== undefined) return parseInside(inside, containerOptions);
  if (containerOptions === undefined) return undefined;
  throw usageError(t("--container-option needs --in image:NAME:TAG."));
}

/**
 * @returns the exit status
 * @throws UserError
 */
export async function attach(command: AttachCommand, helperFolder: string, around: Surroundings): Promise<number> {
  const folder = await findRun(command.run, path.resolve(command.project ?? "."));
  const outcome = await followAgain(folder, command, helperFolder, around, command.once ? "kept" : "passed-on");
  return await conclude(outcome, { ...command, metric: "rss" }, around);
}

/**
 * @returns 0 once the run has ended and what it measured is at home
 * @throws UserError
 */
export async function cancel(command: CancelCommand, helperFolder: string, around: Surroundings): Promise<number> {
  const folder = await findRun(command.run, path.resolve(command.project ?? "."));
  const outcome = await followAgain(folder, { ...command, json: false, cancel: true }, helperFolder, around, "kept");
  if (outcome.kind === "failed") throw await withWayBack(outcome);
  const { run } = await readRunHead(folder);
  // Ctrl-C came before the board had answered.
  if (run.state !== "finished") return INTERRUPTED;
  const ended = exitText(run.exit) ?? t("The run had ended by itself.");
  if (!command.quiet) around.stdout.write(t("{0}\nRun folder: {1}\n", ended, folder));
  return 0;
}

/** Follows a run that was begun before, or fetches the rest of it; what was measured is not printed. */
export async function followAgain(
  folder: string,
  {
    python,
    boardFolder,
    target,
    json,
    quiet,
    cancel = false,
    once = false,
  }: Pick<AttachCommand, "python" | "boardFolder" | "target" | "json" | "quiet"> & {
    readonly cancel?: boolean;
    readonly once?: boolean;
  },
  helperFolder: string,
  around: Surroundings,
  output: ScriptOutput = "passed-on",
): Promise<RunOutcome> {
  const request = {
    cancel,
    once,
    ...defined({ python, boardFolder }),
    ...defined({ target: target === undefined ? undefined : parseTarget(target) }),
  };
  return await followRun(
    (dependencies) => resumeRun(folder, request, dependencies),
    { json, quiet, anyway: false, output, leaves: once, helperFolder },
    around,
  );
}

/** Prints what was measured, however the run ended; a failure is told after it. */
async function conclude(
  outcome: RunOutcome,
  { json, quiet, metric, since }: Pick<ProfileCommand, "json" | "quiet" | "metric"> & Pick<AttachCommand, "since">,
  around: Surroundings,
): Promise<number> {
  const status =
    outcome.folder === undefined
      ? undefined
      : await printRun(
          outcome.folder,
          outcome,
          { format: json ? "json" : "table", metric, ...defined({ since }) },
          around,
        );
  if (outcome.folder !== undefined && !json && !quiet) around.stdout.write(t("\nRun folder: {0}\n", outcome.folder));
  if (outcome.kind === "failed") throw await withWayBack(outcome);
  if (outcome.kind === "cancelled" && outcome.folder === undefined) {
    around.stderr.write(t("Cancelled before the script was started; nothing was measured.\n"));
  }
  // A run that goes on has no exit status yet.
  if (outcome.kind === "released") return 0;
  return outcome.kind === "cancelled" ? INTERRUPTED : (status ?? FAILURE);
}

/** A run that was not followed to its end, and that the board has, can be followed again: the hint says how. */
export async function withWayBack({ error, folder }: Extract<RunOutcome, { kind: "failed" }>): Promise<UserError> {
  const isFinal = error.code === "no-such-run" || error.code === "not-own-run";
  if (folder === undefined || isFinal || (await hasEnded(folder))) return error;
  const way = t('Follow it again with: jetson-memprof attach "{0}"', folder);
  return new UserError(error.code, error.message, error.hint === undefined ? way : `${error.hint} ${way}`, {
    cause: error,
  });
}

const finished = v.object({ state: v.literal("finished") });

/** As the run.json at home says: one that did not come yet, or not whole, is not the end. */
async function hasEnded(folder: string): Promise<boolean> {
  const text = await readText(path.join(folder, "run.json")).catch(() => undefined);
  return v.is(finished, parseJson(text ?? ""));
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
  if (project !== undefined && !(await isKind(project, "folder")))
    throw usageError(t("There is no folder {0}.", project));
  if (entry.kind === "module") return { projectFolder: path.resolve(project ?? here), entry };
  const script = path.resolve(entry.path);
  if (!(await isKind(script, "file"))) throw usageError(t("There is no script {0}.", entry.path));
  const nearest = isBelow(here, script) && !(await holdsHome(here)) ? here : path.dirname(script);
  const projectFolder = path.resolve(project ?? nearest);
  const relative = relativePath(projectFolder, script);
  if (!relative) {
    throw usageError(t("The script {0} is outside the project folder {1}.", entry.path, projectFolder));
  }
  return { projectFolder, entry: { kind: "script", path: relative } };
}

async function holdsHome(folder: string): Promise<boolean> {
  // A service account's home need not be there.
  const realpath = (name: string) => fs.realpath(name).catch(() => name);
  const [home, real] = await Promise.all([realpath(os.homedir()), realpath(folder)]);
  return real === home || isBelow(real, home);
}

/** A project is sent as a whole: keys and other people's secrets must not go along unasked. */
async function refuseHome(projectFolder: string): Promise<void> {
  if (!(await holdsHome(projectFolder))) return;
  throw usageError(
    t(
      "All of {0}, with your home folder, would be sent to the board. Put the script into a folder of its own, or name the folder to send with --project.",
      projectFolder,
    ),
  );
}

async function madeFolder(folder: string): Promise<string> {
  const absolute = path.resolve(folder);
  try {
    await makeFolder(absolute);
  } catch (error) {
    throw new UserError(
      "runs-folder",
      t("The folder {0} cannot be created: {1}", absolute, (error as Error).message),
      t("Give another folder with --out."),
      { cause: error },
    );
  }
  return absolute;
}
