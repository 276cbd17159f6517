/** `sweep`: a script over a grid of parameters, a run after the other; shown again, or gone on with. */
import * as path from "node:path";
import { defined } from "../../profile/defined.ts";
import { runsFolderOf } from "../../profile/run/runsFolder.ts";
import { formatDuration } from "../../profile/text/format.ts";
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { formatTarget } from "../../remote/address.ts";
import { isForeign, readOrigin } from "../../remote/run/origin.ts";
import { nextRunId } from "../../runs/runId.ts";
import { commandTitle, type PlannedSweep } from "../../sweep/command.ts";
import { argumentsAt, variablesAt } from "../../sweep/grid.ts";
import { type Job, type Made, makeRuns } from "../../sweep/makeRuns.ts";
import type { Sweep, SweepRun } from "../../sweep/model.ts";
import { findSweep } from "../../sweep/node/findSweep.ts";
import { writePlan } from "../../sweep/node/planFile.ts";
import { readSweepRun } from "../../sweep/node/readRun.ts";
import { readSweep } from "../../sweep/node/readSweep.ts";
import { pointsOf } from "../../sweep/points.ts";
import { sameValues, valuesText } from "../../sweep/values.ts";
import { pointLine } from "../../sweep/words.ts";
import { t } from "../../words/t.ts";
import { INTERRUPTED, SOME_FAILED } from "../run/exitStatus.ts";
import type { Surroundings } from "../run/followRun.ts";
import { followAgain, placeOfRuns, record, withWayBack } from "../run/profileCommand.ts";
import type { ProfileCommand } from "../run/profileCommandLine.ts";
import { jsonText } from "../terminal/output.ts";
import { notOwnRun } from "../terminal/reachQuestion.ts";
import type { KeptSweep, SweepAction, SweepCommand } from "./sweepCommandLine.ts";
import { sweepJson } from "./sweepJson.ts";
import { sweepText } from "./sweepText.ts";

interface Making {
  readonly plan: PlannedSweep;
  readonly profile: ProfileCommand;
  readonly runsFolder: string;
  readonly before: readonly SweepRun[];
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
    const { id, command: what } = making.plan;
    around.stderr.write(`${printable(t("Continuing with {0} on {1}: {2}", id, what.target, commandTitle(what)))}\n`);
  }
  const before = await collect(making, command, helperFolder, around);
  const end = before && (await makeAll({ ...making, before }, command, helperFolder, around));
  const { sweep: found } = await readSweep([making.runsFolder], making.plan.id);
  print(found, command, around);
  if (end !== "done") {
    around.stderr.write(t("Interrupted. To make what is missing: jetson-memprof sweep --resume {0}\n", making.plan.id));
    return INTERRUPTED;
  }
  return found.points.some(({ state }) => state === "failed") ? SOME_FAILED : 0;
}

async function begin({ profile, parameters, repeat, larger }: SweepAction & { kind: "make" }): Promise<Making> {
  const { target, entry, runsFolder } = await placeOfRuns(profile);
  const { args, python, engine, exact, accelerator, torch, excludes, environment } = profile;
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
      ...defined({ python }),
      engine: engine === "massif" ? "line" : engine,
      exact,
      accelerator,
      ...defined({ torch }),
      excludes,
      variables: Object.keys(environment),
    },
  };
  await writePlan(runsFolder, plan);
  return { plan, profile, runsFolder, before: [] };
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
  const { entry, variables, ...rest } = plan.command;
  const missing = variables.filter((name) => action.environment[name] === undefined);
  if (missing.length > 0) {
    throw new UserError(
      "variables-missing",
      t("This sweep was started with --env for {0}. Values of variables are not kept.", missing.join(", ")),
      t("Give them again: {0}", missing.map((name) => t("--env {0}=VALUE", name)).join(" ")),
    );
  }
  if (action.target === undefined) await checkOwn(rest.target, runs);
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
  return { plan, profile, runsFolder, before: runs };
}

/**
 * A plan may have come with somebody's project: the board that it names is reached where a run of this account was made.
 * @throws UserError `not-own-run`
 */
async function checkOwn(target: string, runs: readonly SweepRun[]): Promise<void> {
  const origins = await Promise.all(runs.map(({ folder }) => readOrigin(folder).catch(() => undefined)));
  const own = origins.some((origin) => origin?.own === true && origin.target === target);
  if (!isForeign({ own, target })) return;
  const board = printable(target);
  const text = t("No run of this sweep was made by this account on {0}, where its plan says that it runs.", board);
  throw notOwnRun(text, target);
}

/**
 * Runs that are not known to have ended are followed to their end before another is begun: the board would make a point
 * twice, or two at once, which take each other's memory.
 * @returns all runs; undefined where the user interrupted
 * @throws UserError where one cannot be followed
 */
async function collect(
  { plan, profile, before }: Making,
  { json, quiet }: SweepCommand,
  helperFolder: string,
  around: Surroundings,
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
      tellStop(plan, around);
      throw outcome.error.code === "no-such-run" ? notThere(outcome.error, run) : await withWayBack(outcome);
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

function tellStop({ id }: PlannedSweep, { stderr }: Surroundings): void {
  stderr.write(t("The sweep stops here. To make what is missing: jetson-memprof sweep --resume {0}\n", id));
}

/** A point is told as it ends; the scripts' own output is kept in the run folders. */
async function makeAll(
  { plan, profile, before }: Making,
  { json, quiet }: SweepCommand,
  helperFolder: string,
  around: Surroundings,
): Promise<"done" | "interrupted"> {
  const tell = json ? around.stderr : around.stdout;
  let interrupted = false;
  const make = async (job: Job): Promise<Made> => {
    if (!quiet) around.stderr.write(`${printable(jobText(job, plan.repeat))}\n`);
    const command = {
      ...profile,
      quiet,
      args: argumentsAt(plan.parameters, profile.args, job.values),
      environment: { ...profile.environment, ...variablesAt(plan.parameters, job.values) },
      group: job.group,
    };
    const outcome = await record(command, helperFolder, around, "kept");
    if (outcome.kind === "failed") {
      tellStop(plan, around);
      throw outcome.error;
    }
    if (outcome.kind === "cancelled") {
      interrupted = true;
      return { kind: "stop" };
    }
    return { kind: "made", run: await readSweepRun(outcome.folder, job.values) };
  };
  await makeRuns(plan, before, make, (values, runs) => {
    const point = pointsOf(plan, runs).find((one) => sameValues(one.values, values));
    if (!quiet && point !== undefined) tell.write(`${printable(pointLine(point))}\n`);
  });
  return interrupted ? "interrupted" : "done";
}

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
