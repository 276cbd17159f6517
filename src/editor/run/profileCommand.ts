/** "Profile on Jetson": from the click to a run under way. */
import * as path from "node:path";
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import { isKind } from "../../profile/files/places.ts";
import { ensureRunsFolder } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import type { ProfileRequest, RunOutcome } from "../../protocol/run/run.ts";
import type { RunGroup } from "../../runs/model.ts";
import { t } from "../../words/t.ts";
import { offerBoardCheck } from "../board/doctor/doctorOffer.ts";
import { containerSet } from "../connect/containerSet.ts";
import { targetShortName } from "../connect/targetItems.ts";
import { pickTarget } from "../connect/targetPicker.ts";
import { isTrusted, runsCode } from "../report/trust.ts";
import type { Services } from "../services.ts";
import type { RunSettings } from "../settings/settings.ts";
import { windowRunSettings } from "../settings/windowSettings.ts";
import { type LastPlan, lastPlan, rememberPlan } from "./lastPlan.ts";
import { launcherOf } from "./options/launcher.ts";
import { markedLines, massifRequest } from "./options/massifRequest.ts";
import { askOptions, type RunOptions } from "./options/runOptions.ts";
import { type ChosenScript, chooseScript } from "./options/scriptChoice.ts";
import { choicesSet, type TorchChoice, torchRequestOf } from "./options/torchChoice.ts";
import { runSession } from "./session.ts";

/** `settings`: as the settings say. `native`: with native stacks. `massif`: the same with that engine. `model`: with a model account. `ask`: asks how. */
export type Manner = "settings" | "native" | "massif" | "model" | "ask";

export async function profileCommand(
  services: Services,
  resource: vscode.Uri | undefined,
  manner: Manner,
  chosenTarget?: string,
): Promise<void> {
  const plan = await planRun(services, resource, manner, chosenTarget);
  if (plan === undefined) return;
  const { chosen, run } = plan;
  const last: LastPlan = {
    chosen,
    target: run.target,
    how: manner === "ask" ? { manner, options: run } : { manner },
  };
  await rememberPlan(services.context.workspaceState, last);
  await profileScript(services, chosen, run, () => again(services, last));
}

/** The same script on the same board with the same arguments and options; asks as the first time where there was none. */
export async function profileAgain(services: Services): Promise<void> {
  const last = lastPlan(services.context.workspaceState);
  await (last === undefined ? profileCommand(services, undefined, "settings") : again(services, last));
}

async function again(services: Services, last: LastPlan): Promise<void> {
  if (!(await isTrusted(runsCode()))) return;
  const script = path.join(last.chosen.projectFolder, last.chosen.script);
  if (!(await isKind(script, "file"))) {
    throw new UserError(
      "no-script",
      t("{0}, which was profiled last, is no longer there.", script),
      t("Right-click the script that is meant, then Profile on Jetson."),
    );
  }
  const { target, how } = last;
  if (how.manner !== "ask") return profileCommand(services, vscode.Uri.file(script), how.manner, target);
  const chosen = await chooseScript(vscode.Uri.file(script), services.report);
  if (chosen === undefined) return;
  const settings = windowRunSettings(vscode.Uri.file(chosen.projectFolder));
  await profileScript(services, chosen, { ...how.options, target, settings }, () => again(services, last));
}

/**
 * Asks for what is not known yet: the script, the target, how to measure. Undefined when the user declined.
 * @param chosenTarget goes before the setting
 */
export async function planRun(
  { context, log, report }: Services,
  resource: vscode.Uri | undefined,
  manner: Manner,
  chosenTarget?: string,
): Promise<{ readonly chosen: ChosenScript; readonly run: ScriptRun } | undefined> {
  if (!(await isTrusted(runsCode()))) return undefined;
  const chosen = await chooseScript(resource, report);
  if (chosen === undefined) return undefined;
  const { projectFolder, script } = chosen;
  const settings = windowRunSettings(vscode.Uri.file(projectFolder));
  const known = chosenTarget ?? settings.target;
  const target = known ?? (await pickTarget(context, log, t("Profile {0} on…", script)));
  if (target === undefined) return undefined;
  const options =
    manner === "ask" ? await askOptions(script, settings, context.workspaceState) : optionsOf(settings, manner);
  return options && { chosen, run: { target, isPicked: known === undefined, settings, ...options } };
}

/** All that has to be known before a script can run. */
export interface ScriptRun extends RunOptions {
  /** In the form `parseTarget` reads. */
  readonly target: string;
  /** It was picked for this run: it is offered first from now on, once it has answered. */
  readonly isPicked?: boolean;
  readonly settings: RunSettings;
  /** It is one of several; who makes them shows how they ended together. */
  readonly group?: RunGroup;
}

/**
 * Runs a script and shows how it ends.
 * @param tryAgain offered where the run could not be begun
 */
export async function profileScript(
  services: Services,
  chosen: ChosenScript,
  { target, isPicked = false, settings, args, python, engine, exact, torch, nativeStacks, group }: ScriptRun,
  tryAgain?: () => Promise<void>,
): Promise<RunOutcome> {
  const { projectFolder, script } = chosen;
  const { formatTarget, parseInside, parseTarget, profileRun } = await import("../remote.ts");
  const address = parseTarget(target);
  const inside = containerSet(settings, parseInside);
  const launch = launcherOf(settings, engine, script);
  const runsFolder = await ensureRunsFolder(projectFolder);
  const massif = engine === "massif";
  const request: ProfileRequest = {
    target: address,
    ...defined({ inside }),
    projectFolder,
    entry: { kind: "script", path: script },
    args,
    ...defined({ launch, python }),
    engine,
    ...defined({ group }),
    ...(massif ? { massif: await massifRequest(services, chosen, runsFolder, settings.massif) } : {}),
    ...defined({ torch }),
    ...(nativeStacks === true
      ? { heap: { mean: settings.nativeStacksMean, lines: await markedLines(services, projectFolder) } }
      : {}),
    exact,
    accelerator: settings.accelerator,
    environment: settings.environment,
    excludes: settings.exclude,
    boardFolder: settings.boardFolder,
    runsFolder,
    outputLimit: settings.outputLimit,
    momentsIntervalMs: settings.watchIntervalMs,
  };
  await services.folders.add(projectFolder);
  const outcome = await runSession(services, {
    script,
    targetName: inside === undefined ? targetShortName(target) : `${targetShortName(target)}, ${inside.name}`,
    massif,
    model: torch?.model !== undefined,
    ...defined({ group }),
    ...(isPicked ? { picked: formatTarget(address) } : {}),
    ...defined({ tryAgain }),
    occasion: "new",
    start: (dependencies) => profileRun(request, dependencies),
  });
  const { folder } = outcome;
  if (folder !== undefined) {
    const { pruneAfterRun } = await import("../runs/history/runHistory.ts");
    await services.report.guard(t("Pruning the runs"), () => pruneAfterRun(services, projectFolder, folder));
  }
  if (outcome.kind === "finished" && group === undefined) {
    void offerBoardCheck(services, formatTarget(address), settings);
  }
  return outcome;
}

function optionsOf(settings: RunSettings, manner: Exclude<Manner, "ask">): RunOptions {
  const { engine, exact, python } = settings;
  const torch = (...besides: readonly TorchChoice[]) =>
    torchRequestOf([...choicesSet(settings.torch), ...besides], settings.torch);
  const usual = { args: [], exact, python };
  switch (manner) {
    case "massif":
      return { ...usual, engine: "massif", exact: false, torch: undefined };
    case "native":
      return { ...usual, engine: "line", torch: torch(), nativeStacks: true };
    case "model":
      return { ...usual, engine: "line", torch: torch("model") };
    case "settings":
      return { ...usual, engine, torch: engine === "line" ? torch() : undefined };
  }
}
