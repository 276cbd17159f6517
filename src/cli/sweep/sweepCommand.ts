/** `sweep`: a script over a grid of parameters, a run after the other; shown again, or gone on with. */
import * as path from "node:path";
import { defined } from "../../profile/defined.ts";
import { runsFolderOf } from "../../profile/run/runsFolder.ts";
import { formatDuration } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { formatTarget, parseTarget } from "../../remote/address.ts";
import { namedBoards } from "../../remote/boardNames.ts";
import { configuredHosts } from "../../remote/configuredHosts.ts";
import { isForeign, readOrigin } from "../../remote/run/origin.ts";
import { hostNameOf, machineOf } from "../../remote/ssh/hostName.ts";
import { nextRunId } from "../../runs/runId.ts";
import { commandTitle, type PlannedSweep } from "../../sweep/command.ts";
import { argumentsAt, boardParameter, boardsOf, onBoards, targetAt, variablesAt } from "../../sweep/grid.ts";
import { type Job, type Made, makeRuns } from "../../sweep/makeRuns.ts";
import type { Sweep, SweepRun, Values } from "../../sweep/model.ts";
import { findSweep } from "../../sweep/node/findSweep.ts";
import { writePlan } from "../../sweep/node/planFile.ts";
import { readSweepRun } from "../../sweep/node/readRun.ts";
import { readSweep } from "../../sweep/node/readSweep.ts";
import { pointsOf } from "../../sweep/points.ts";
import { launchTogether, MEETING_PORT, type Meeting } from "../../sweep/together.ts";
import { sameValues, valuesText } from "../../sweep/values.ts";
import { pointLine } from "../../sweep/words.ts";
import { sentences, t } from "../../words/t.ts";
import { usageError } from "../commandLine/options.ts";
import { INTERRUPTED, SOME_FAILED } from "../run/exitStatus.ts";
import type { Surroundings } from "../run/followRun.ts";
import { followAgain, placeOfRuns, record, withWayBack } from "../run/profileCommand.ts";
import type { ProfileCommand } from "../run/profileCommandLine.ts";
import { createLanes } from "../terminal/lane.ts";
import { jsonText } from "../terminal/output.ts";
import { notOwnRun } from "../terminal/reachQuestion.ts";
import type { KeptSweep, SweepAction, SweepCommand } from "./sweepCommandLine.ts";
import { sweepJson } from "./sweepJson.ts";
import { sweepText } from "./sweepText.ts";

interface Making {
  readonly boardsAtOnce: number;
  /** Where all boards meet for one training. */
  readonly meeting?: Meeting;
  readonly plan: PlannedSweep;
  readonly profile: ProfileCommand;
  readonly runsFolder: string;
  readonly before: readonly SweepRun[];
  /** Boards that only the plan names, and what that comes to. */
  readonly foreign: readonly { readonly values: Values; readonly error: UserError }[];
}

/**
 * @returns the exit status
 * @throws UserError
 */
export async function sweep(command: SweepCommand, helperFolder: string, around: Surroundings): Promise<number> {
  const { action } = command;
  if (action.kind === "show") {
    const runsFolder = runsFolderFor(action);
    print((await readSweep([runsFolder], await findSweep(runsFolder, action.sweep))).sweep, command, around);
    return 0;
  }
  const making = action.kind === "make" ? await begin(action) : await goOn(action);
  if (action.kind === "resume" && !command.quiet) {
    const { id, parameters, command: what } = making.plan;
    const boards = boardsOf(parameters, what.target).join(", ");
    around.stderr.write(`${printable(t("Continuing with {0} on {1}: {2}", id, boards, commandTitle(what)))}\n`);
  }
  const lost = createLost(making.plan, around);
  for (const { values, error } of making.foreign) lost.add(values, error);
  const before = await collect(making, command, helperFolder, around, lost);
  const end = before && (await makeAll({ ...making, before }, command, helperFolder, around, lost));
  const { sweep: found } = await readSweep([making.runsFolder], making.plan.id);
  print(found, command, around);
  if (end !== "done") {
    tellStop(t("Interrupted."), making.plan, around);
    return INTERRUPTED;
  }
  if (lost.boards.size > 0) {
    tellStop(t("Some boards could not be used."), making.plan, around);
    return SOME_FAILED;
  }
  return found.points.some(({ state }) => state === "failed") ? SOME_FAILED : 0;
}

async function begin({
  profile: asked,
  boards: typed,
  boardsAtOnce,
  together,
  parameters: grid,
  repeat,
  larger,
}: SweepAction & { kind: "make" }): Promise<Making> {
  const boards = await namedBoards(typed, configuredHosts, machineOf);
  const parameters = boards.length === 0 ? grid : onBoards(boards, grid, repeat);
  const profile = { ...asked, target: boards[0] ?? asked.target };
  const { target, entry, runsFolder } = await placeOfRuns(profile);
  const { args, launch, python, engine, exact, accelerator, torch, excludes, environment } = profile;
  const stem = entry.kind === "script" ? path.basename(entry.path, ".py") : entry.name;
  const plan: PlannedSweep = {
    id: await nextRunId(runsFolder, stem),
    parameters,
    repeat,
    larger,
    command: {
      entry,
      args,
      target: formatTarget(target),
      ...defined({ launch, python, together: together && true }),
      engine: engine === "massif" ? "line" : engine,
      exact,
      accelerator,
      ...defined({ torch }),
      excludes,
      variables: Object.keys(environment),
    },
  };
  const meeting = together && (together.meeting ?? (await meetingOf(boards)));
  await writePlan(runsFolder, plan);
  const made = { plan, profile, runsFolder, before: [], foreign: [] };
  return meeting === undefined ? { ...made, boardsAtOnce } : { ...made, boardsAtOnce: boards.length, meeting };
}

/** @throws UserError `usage` where the others cannot reach the first one by what is known */
async function meetingOf([first = "", ...others]: readonly string[]): Promise<Meeting> {
  const isHere = (board: string): boolean => parseTarget(board).kind !== "ssh";
  if (isHere(first) && !others.every(isHere)) {
    throw usageError(t("Where the other boards reach this computer is not known: say so with --meet HOST:PORT."));
  }
  return { host: await hostNameOf(parseTarget(first)), port: MEETING_PORT };
}

/** @throws UserError `no-plan`, `variables-missing` and as readSweep */
async function goOn(action: SweepAction & { kind: "resume" }): Promise<Making> {
  const runsFolder = runsFolderFor(action);
  const { plan, runs } = await readSweep([runsFolder], await findSweep(runsFolder, action.sweep));
  if (plan === undefined) {
    throw new UserError(
      "no-plan",
      t("What this sweep had planned is not kept, so what is missing is not known."),
      t("Start it again with its --grid; --show prints what there is."),
    );
  }
  const { entry, variables, together, ...rest } = plan.command;
  if (together === true) {
    throw new UserError(
      "one-training",
      t("This was one training over several boards: a part of it cannot be made alone."),
      t("Start it again with its --boards and --together; --show prints what there is."),
    );
  }
  const missing = variables.filter((name) => action.environment[name] === undefined);
  if (missing.length > 0) {
    throw new UserError(
      "variables-missing",
      t("This sweep was started with --env for {0}. Values of variables are not kept.", missing.join(", ")),
      t("Give them again: {0}", missing.map((name) => t("--env {0}=VALUE", name)).join(" ")),
    );
  }
  checkNamed(action, plan);
  const project = path.resolve(action.project ?? ".");
  const profile: ProfileCommand = {
    kind: "profile",
    entry: entry.kind === "script" ? { kind: "script", path: path.join(project, entry.path) } : entry,
    ...rest,
    target: action.target ?? rest.target,
    ...defined({ boardFolder: action.boardFolder }),
    environment: action.environment,
    project,
    out: runsFolder,
    metric: "rss",
    json: false,
    quiet: false,
  };
  const foreign = action.target === undefined ? await foreignBoards(plan, runs, action.boards) : [];
  return { plan, profile, runsFolder, before: runs, boardsAtOnce: action.boardsAtOnce, foreign };
}

/** @throws UserError `usage` */
function checkNamed({ target, boards }: SweepAction & { kind: "resume" }, { parameters }: PlannedSweep): void {
  const name = boardParameter(parameters);
  if (name !== undefined && target !== undefined) {
    throw usageError(t("This sweep runs on several boards: name those that it may use with --boards."));
  }
  if (name === undefined && boards.length > 0) {
    throw usageError(t("This sweep runs on one board: name it with --target."));
  }
}

/** @param named those that the user named now */
async function foreignBoards(
  { parameters, command }: PlannedSweep,
  runs: readonly SweepRun[],
  named: readonly string[],
): Promise<Making["foreign"]> {
  const name = boardParameter(parameters);
  const trusted = new Set((await namedBoards(named, configuredHosts)).map(asOrigin));
  const found = await Promise.all(
    boardsOf(parameters, command.target).map(async (board) => {
      const error = trusted.has(asOrigin(board)) ? undefined : await foreignBoard(board, runs, name !== undefined);
      return error === undefined ? [] : [{ values: name === undefined ? {} : { [name]: board }, error }];
    }),
  );
  return found.flat();
}

/** In the form that a run's origin has. */
const asOrigin = (board: string): string => formatTarget(parseTarget(board));

/** Boards that could not be used: what is to be made on others goes on. */
interface Lost {
  /** By name. */
  readonly boards: ReadonlySet<string>;
  /** @throws the error where the sweep has one board */
  add(values: Values, error: UserError): void;
}

function createLost(plan: PlannedSweep, { stderr }: Surroundings): Lost {
  const name = boardParameter(plan.parameters);
  const boards = new Set<string>();
  return {
    boards,
    add(values, error) {
      const board = name === undefined ? undefined : values[name];
      if (board === undefined) {
        tellStop(t("The sweep stops here."), plan, { stderr });
        throw error;
      }
      boards.add(board);
      const told = sentences(error.message, ...(error.hint === undefined ? [] : [error.hint]));
      stderr.write(`${printable(t("{0} could not be used: {1}", board, told))}\n`);
    },
  };
}

/**
 * A plan may have come with somebody's project: a board that it names is reached where a run of this account was made.
 * @returns `not-own-run` where none was
 */
async function foreignBoard(
  written: string,
  runs: readonly SweepRun[],
  isOneOfSeveral: boolean,
): Promise<UserError | undefined> {
  const target = asOrigin(written);
  const origins = await Promise.all(runs.map(({ folder }) => readOrigin(folder).catch(() => undefined)));
  const own = origins.some((origin) => origin?.own === true && origin.target === target);
  if (!isForeign({ own, target })) return undefined;
  const board = printable(target);
  const text = t("No run of this sweep was made by this account on {0}, where its plan says that it runs.", board);
  const hint = t("Where you know that board, name it yourself: --boards {0}", printable(written));
  return notOwnRun(text, target, isOneOfSeveral ? hint : undefined);
}

/**
 * Runs that are not known to have ended are followed to their end before another is begun: the board would make a point
 * twice, or two at once, which take each other's memory.
 * @returns all runs; undefined where the user interrupted
 * @throws UserError where one cannot be followed
 */
async function collect(
  { profile, before }: Making,
  { json, quiet }: SweepCommand,
  helperFolder: string,
  around: Surroundings,
  lost: Lost,
): Promise<readonly SweepRun[] | undefined> {
  const { python, boardFolder } = profile;
  const how = { ...defined({ python, boardFolder }), json, quiet };
  const runs: SweepRun[] = [];
  for (const run of before) {
    if (run.outcome !== "running") {
      runs.push(run);
      continue;
    }
    if (!quiet) {
      const told = t(
        "The run with {0} is not known to have ended: {1} is followed.",
        valuesText(run.values),
        run.folder,
      );
      around.stderr.write(`${printable(told)}\n`);
    }
    const outcome = await followAgain(run.folder, how, helperFolder, around, "kept");
    if (outcome.kind === "cancelled") return undefined;
    if (outcome.kind === "failed") {
      const { error } = outcome;
      lost.add(run.values, error.code === "no-such-run" ? notThere(error, run) : await withWayBack(outcome));
      continue;
    }
    runs.push(await readSweepRun(run.folder, run.values));
  }
  return runs;
}

/** It may never have been started, or another board answers at the address: only the user knows. */
function notThere(error: UserError, { folder, values }: SweepRun): UserError {
  return error.with({
    hint: t(
      "Check that this is the board the sweep was started on. If it is, delete {0}: the run with {1} is then made again.",
      folder,
      valuesText(values),
    ),
  });
}

/** A part of one training over several boards is not made alone. */
function tellStop(why: string, { id, command }: PlannedSweep, { stderr }: Pick<Surroundings, "stderr">): void {
  if (command.together === true) stderr.write(`${why}\n`);
  else stderr.write(t("{0} To make what is missing: jetson-memprof sweep --resume {1}\n", why, id));
}

/** A point is told as it ends; the scripts' own output is kept in the run folders. */
async function makeAll(
  { plan, profile, before, boardsAtOnce, meeting }: Making,
  { json, quiet }: SweepCommand,
  helperFolder: string,
  around: Surroundings,
  lost: Lost,
): Promise<"done" | "interrupted"> {
  const tell = json ? around.stderr : around.stdout;
  let interrupted = false;
  // A board may be between two runs, where nobody else listens.
  const onSignal = (): void => {
    interrupted = true;
  };
  const { signals } = around;
  // Each run listens for both.
  signals.setMaxListeners(Math.max(signals.getMaxListeners(), 4 * boardsAtOnce + 10));
  signals.on("SIGINT", onSignal);
  signals.on("SIGTERM", onSignal);
  const board = boardParameter(plan.parameters);
  const lanes = createLanes();
  const make = async (job: Job): Promise<Made> => {
    const name = board === undefined ? undefined : job.values[board];
    if (interrupted) return { kind: "stop" };
    if (name !== undefined && lost.boards.has(name)) return { kind: "lost" };
    if (!quiet) around.stderr.write(`${printable(jobText(job, plan.repeat))}\n`);
    const command = {
      ...profile,
      target: targetAt(plan.parameters, profile.target, job.values),
      ...(meeting !== undefined && { launch: launchHere(profile.launch ?? [], job, meeting) }),
      quiet,
      args: argumentsAt(plan.parameters, profile.args, job.values),
      environment: { ...profile.environment, ...variablesAt(plan.parameters, job.values) },
      group: job.group,
    };
    const outcome = await record(command, helperFolder, around, "kept", name === undefined ? undefined : lanes(name));
    if (outcome.kind === "failed") {
      lost.add(job.values, outcome.error);
      return { kind: "lost" };
    }
    if (outcome.kind === "cancelled") {
      interrupted = true;
      return { kind: "stop" };
    }
    return { kind: "made", run: await readSweepRun(outcome.folder, job.values) };
  };
  const ended = (values: Values, runs: readonly SweepRun[]): void => {
    const point = pointsOf(plan, runs).find((one) => sameValues(one.values, values));
    if (!quiet && point !== undefined) tell.write(`${printable(pointLine(point))}\n`);
  };
  try {
    await makeRuns(plan, before, make, ended, boardsAtOnce);
  } finally {
    signals.off("SIGINT", onSignal);
    signals.off("SIGTERM", onSignal);
  }
  return interrupted ? "interrupted" : "done";
}

/** All points are boards. */
const launchHere = (launch: readonly string[], { point, points }: Job, meeting: Meeting): readonly string[] =>
  launchTogether(launch, { node: point - 1, nodes: points }, meeting);

function jobText({ values, point, points, repetition, leftMs }: Job, repeat: number): string {
  const again = repeat === 1 ? "" : t(", run {0} of {1}", repetition, repeat);
  const left = leftMs === undefined ? "" : t(", about {0} left", formatDuration(leftMs));
  return `[${point}/${points}] ${valuesText(values)}${again}${left}`;
}

function runsFolderFor({ out, project }: KeptSweep): string {
  return out === undefined ? runsFolderOf(path.resolve(project ?? ".")) : path.resolve(out);
}

function print(found: Sweep, { json }: SweepCommand, { stdout }: Surroundings): void {
  stdout.write(json ? jsonText(sweepJson(found)) : `\n${sweepText(found, stdout.columns)}`);
}
