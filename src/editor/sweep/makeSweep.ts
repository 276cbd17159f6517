/** "Sweep Parameters…", "Profile on Several Boards…" and "Make Missing Runs…": the runs are made while the page shows what there is. */
import * as path from "node:path";
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import { ensureRunsFolder } from "../../profile/run/runsFolder.ts";
import { formatDuration } from "../../profile/text/format.ts";
import { UserError } from "../../profile/userError.ts";
import type { RunOutcome } from "../../protocol/run/run.ts";
import { nextRunId } from "../../runs/runId.ts";
import { commandTitle, type FoundSweep, type PlannedSweep } from "../../sweep/command.ts";
import { argumentsAt, boardParameter, boardsOf, onBoards, targetAt, variablesAt } from "../../sweep/grid.ts";
import { BOARDS_AT_ONCE, type Job, type Made, makeRuns } from "../../sweep/makeRuns.ts";
import type { SweepRun } from "../../sweep/model.ts";
import { writePlan } from "../../sweep/node/planFile.ts";
import { runsLeft } from "../../sweep/points.ts";
import { combinations, valuesText } from "../../sweep/values.ts";
import { limitText, missingRuns } from "../../sweep/words.ts";
import { sentences, t } from "../../words/t.ts";
import { targetLabel } from "../connect/targetItems.ts";
import { plainText } from "../report/plainText.ts";
import { isTrusted, runsCode } from "../report/trust.ts";
import { reattachTo } from "../run/end/presentEnd.ts";
import { launcherOf } from "../run/options/launcher.ts";
import { type ChosenScript, chooseScript } from "../run/options/scriptChoice.ts";
import type { ScriptRun } from "../run/profileCommand.ts";
import { windowRunSettings } from "../settings/windowSettings.ts";
import { askSweep, type SweepChoice } from "./askSweep.ts";
import { openSweep, type PanelParts, sayMaking } from "./sweepPanel.ts";

export interface MakeParts extends Omit<PanelParts, "resume"> {
  /** Undefined where the user declined. */
  readonly pickBoards: (title: string) => Promise<readonly string[] | undefined>;
  readonly planRun: (
    resource: vscode.Uri | undefined,
    target?: string,
  ) => Promise<{ readonly chosen: ChosenScript; readonly run: ScriptRun } | undefined>;
  readonly profileScript: (chosen: ChosenScript, run: ScriptRun) => Promise<RunOutcome>;
}

export async function makeSweep(parts: MakeParts, resource: vscode.Uri | undefined): Promise<void> {
  const planned = await parts.planRun(resource);
  if (planned === undefined) return;
  const { chosen, run } = planned;
  comparable(run);
  const choice = await askSweep(chosen.script, targetLabel(run.target), parts.context.workspaceState);
  if (choice === undefined) return;
  await begin(parts, chosen, run, choice);
}

export async function profileOnBoards(parts: MakeParts, resource: vscode.Uri | undefined): Promise<void> {
  const boards = await parts.pickBoards(t("Profile on several boards"));
  const planned = boards?.[0] === undefined ? undefined : await parts.planRun(resource, boards[0]);
  if (boards === undefined || planned === undefined) return;
  const { chosen, run } = planned;
  await begin(parts, chosen, run, { args: [], parameters: onBoards(boards, [], 1), repeat: 1 });
}

/** @throws UserError `sweep-engine` */
function comparable({ engine }: ScriptRun): Exclude<ScriptRun["engine"], "massif"> {
  if (engine !== "massif") return engine;
  throw new UserError(
    "sweep-engine",
    t("A sweep compares the script's own peaks; under massif they are valgrind's."),
    t("Choose another engine in the setting jetsonMemprof.engine."),
  );
}

async function begin(
  parts: MakeParts,
  chosen: ChosenScript,
  run: ScriptRun,
  { args, parameters, repeat }: SweepChoice,
): Promise<void> {
  const engine = comparable(run);
  const { python, exact, torch, settings, target } = run;
  const launch = launcherOf(settings, engine, chosen.script);
  const runsFolder = await ensureRunsFolder(chosen.projectFolder);
  const plan: PlannedSweep = {
    id: await nextRunId(runsFolder, path.basename(chosen.script, path.extname(chosen.script))),
    parameters,
    repeat,
    larger: "skip",
    command: {
      entry: { kind: "script", path: chosen.script },
      args,
      target,
      ...defined({ launch, python }),
      engine,
      exact,
      accelerator: settings.accelerator,
      ...defined({ torch }),
      excludes: settings.exclude,
      variables: Object.keys(settings.environment),
    },
  };
  await writePlan(runsFolder, plan);
  await makeAll(parts, plan, chosen, run, []);
}

/** @throws UserError `not-resumable` and as making runs throws */
async function resumeSweep(parts: MakeParts, { plan, runs, runsFolder }: FoundSweep): Promise<void> {
  // Target, script and arguments come from files of the workspace.
  if (!(await isTrusted(runsCode()))) return;
  const project = path.dirname(path.dirname(runsFolder));
  const settings = windowRunSettings(vscode.Uri.file(project));
  if (plan?.command.together === true) {
    throw new UserError(
      "not-resumable",
      t("This was one training over several boards: a part of it cannot be made alone."),
      t("Start it again in a terminal, with its --boards and --together."),
    );
  }
  if (plan === undefined || plan.command.entry.kind === "module") {
    throw new UserError(
      "not-resumable",
      plan === undefined ? t("What this sweep had planned is not kept.") : t("This sweep runs a module, not a script."),
      plan === undefined
        ? t("Make a new one with Jetson: Sweep Parameters…")
        : t("Use {0}", `jetson-memprof sweep --resume ${plan.id}`),
    );
  }
  const { entry, target, launch = [], python, excludes, variables, ...rest } = plan.command;
  const missing = variables.filter((name) => settings.environment[name] === undefined);
  if (missing.length > 0) {
    throw new UserError(
      "not-resumable",
      t("This sweep was started with the variables {0}, whose values are not kept.", missing.join(t(", "))),
      t("Set them in jetsonMemprof.environment, then try again."),
    );
  }
  const unfinished = runs.find(({ outcome }) => outcome === "running");
  if (unfinished !== undefined) {
    const values = valuesText(unfinished.values);
    const why = t("The run with {0} is not known to have ended. Reattach to it, then make the missing runs.", values);
    return parts.report.tell("warning", plainText(why, 500), reattachTo(unfinished.folder));
  }
  if (!(await mayResume(plan, runs))) return;
  const chosen = await chooseScript(vscode.Uri.file(path.join(project, entry.path)), parts.report);
  if (chosen === undefined) return;
  const run = {
    ...rest,
    target,
    python,
    torch: rest.torch,
    settings: { ...settings, launcher: launch, exclude: excludes },
  };
  await makeAll(parts, plan, chosen, run, runs);
}

async function mayResume(plan: PlannedSweep, runs: readonly SweepRun[]): Promise<boolean> {
  const start = t("Start");
  const count = combinations(plan.parameters).reduce((sum, values) => sum + runsLeft(plan, values, runs), 0);
  const boards = boardsOf(plan.parameters, plan.command.target).map((board) => plainText(targetLabel(board), 100));
  const target = boards.length === 1 ? boards.join("") : t("{0} boards", boards.length);
  const question =
    count === 1 ? t("Make 1 missing run on {0}?", target) : t("Make {0} missing runs on {1}?", count, target);
  const what = plainText(commandTitle(plan.command), 500);
  // The plan may have come with somebody's project: each board that it reaches is named.
  const detail = [what, ...(boards.length === 1 ? [] : ["", ...boards])].join("\n");
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, start)) === start;
}

/** A page makes what is missing of its sweep. */
export function panelParts(parts: MakeParts): PanelParts {
  return { ...parts, resume: (found) => resumeSweep(parts, found) };
}

async function makeAll(
  parts: MakeParts,
  plan: PlannedSweep,
  chosen: ChosenScript,
  run: ScriptRun,
  before: readonly SweepRun[],
): Promise<void> {
  openSweep(panelParts(parts), plan.id);
  const underWay = new Set<string>();
  const say = () => sayMaking(plan.id, underWay.size === 0 ? undefined : [...underWay].join("; "));
  const make = async (job: Job): Promise<Made> => {
    const text = jobText(job);
    underWay.add(text);
    say();
    const made = makeOne(job);
    return await made.finally(() => {
      underWay.delete(text);
      say();
    });
  };
  const makeOne = async (job: Job): Promise<Made> => {
    const outcome = await parts.profileScript(chosen, {
      ...run,
      target: targetAt(plan.parameters, run.target, job.values),
      args: argumentsAt(plan.parameters, plan.command.args, job.values),
      settings: {
        ...run.settings,
        environment: { ...run.settings.environment, ...variablesAt(plan.parameters, job.values) },
      },
      group: job.group,
    });
    // Who cancels one wants no others; what could not be followed once would fail again. Other boards go on.
    if (outcome.kind !== "finished") return { kind: boardParameter(plan.parameters) === undefined ? "stop" : "lost" };
    return {
      kind: "made",
      run: await parts.ask("jetsonMemprof/sweepRun", { folder: outcome.folder, values: job.values }),
    };
  };
  try {
    await makeRuns(plan, before, make, () => undefined, BOARDS_AT_ONCE);
  } finally {
    sayMaking(plan.id, undefined);
  }
  await presentEnd(parts, plan.id, chosen.script);
}

/** Whoever looks at something else meanwhile learns that it has ended, and what fits. */
async function presentEnd(parts: MakeParts, id: string, script: string): Promise<void> {
  const { sweep } = await parts.ask("jetsonMemprof/sweep", { id, runsFolders: parts.folders.all() });
  const [limit] = sweep.limits;
  const missing = missingRuns(sweep);
  const [fits] = limit === undefined ? [] : limitText(limit);
  parts.report.tell("information", plainText(sentences(endText(script, missing), fits), 500), {
    [t("Show Sweep")]: async () => openSweep(panelParts(parts), id),
  });
}

function endText(script: string, missing: number): string {
  if (missing === 0) return t("The sweep of {0} has ended.", script);
  return missing === 1 ? t("1 run of the sweep is missing.") : t("{0} runs of the sweep are missing.", missing);
}

function jobText({ values, group: { index, of }, leftMs }: Job): string {
  const at = valuesText(values);
  return leftMs === undefined
    ? t("run {0} of {1}, {2}", index, of, at)
    : t("run {0} of {1}, {2}, about {3} left", index, of, at, formatDuration(leftMs));
}
