/** "Profile on Jetson": from the click to a run under way. */
import * as vscode from "vscode";
import { ensureRunsFolder } from "../../profile/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import type { ProfileRequest } from "../../protocol/board.ts";
import type { RunSummary } from "../../protocol/server.ts";
import { offerBoardCheck } from "../board/doctorOffer.ts";
import { massifRequest } from "../massif/massifRequest.ts";
import type { Services } from "../services.ts";
import type { RunSettings } from "../settings.ts";
import { targetShortName } from "../targets/targetItems.ts";
import { pickTarget } from "../targets/targetPicker.ts";
import { isTrusted, RUNS_CODE } from "../trust.ts";
import { windowRunSettings } from "../windowSettings.ts";
import { askOptions, type RunOptions } from "./runOptions.ts";
import { type ChosenScript, chooseScript } from "./scriptChoice.ts";
import { runSession } from "./session.ts";
import { choicesSet, type TorchChoice, torchRequestOf } from "./torchChoice.ts";

/** `settings`: as the settings say. `massif`: the same with that engine. `model`: with a model account. `ask`: asks how. */
export type Manner = "settings" | "massif" | "model" | "ask";

export async function profileCommand(
  services: Services,
  resource: vscode.Uri | undefined,
  manner: Manner,
): Promise<void> {
  const { context, log, report, folders } = services;
  if (!(await isTrusted(RUNS_CODE))) return;
  const chosen = await chooseScript(resource, report);
  if (chosen === undefined) return;
  const { projectFolder, script } = chosen;
  const settings = windowRunSettings(vscode.Uri.file(projectFolder));
  const target = settings.target ?? (await pickTarget(context.workspaceState, log, `Profile ${script} on…`));
  if (target === undefined) return;
  const { parseTarget } = await import("../remote.ts");
  const address = parseTarget(target);
  if (address.kind !== "local" && !folders.has(projectFolder) && !(await mayCopy(script, projectFolder))) return;
  const options =
    manner === "ask" ? await askOptions(script, settings, context.workspaceState) : optionsOf(settings, manner);
  if (options === undefined) return;
  await profileScript(services, chosen, { target, settings, ...options });
}

/** All that has to be known before a script can run. */
export interface ScriptRun extends RunOptions {
  /** In the form `parseTarget` reads. */
  readonly target: string;
  readonly settings: RunSettings;
}

/** Runs a script and shows how it ends. */
export async function profileScript(
  services: Services,
  chosen: ChosenScript,
  { target, settings, args, python, engine, exact, torch }: ScriptRun,
): Promise<void> {
  const { projectFolder, script } = chosen;
  const { formatTarget, parseTarget, profileRun } = await import("../remote.ts");
  const address = parseTarget(target);
  const runsFolder = await ensureRunsFolder(projectFolder);
  const massif = engine === "massif";
  const request: ProfileRequest = {
    target: address,
    projectFolder,
    entry: { kind: "script", path: script },
    args,
    ...(python === undefined ? {} : { python }),
    engine,
    ...(massif ? { massif: await massifRequest(services, chosen, runsFolder, settings.massif) } : {}),
    ...(torch === undefined ? {} : { torch }),
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
    targetName: targetShortName(target),
    massif,
    model: torch?.model !== undefined,
    start: (dependencies) => profileRun(request, dependencies),
  });
  if (outcome.kind === "finished") void offerBoardCheck(services, formatTarget(address), settings);
}

function optionsOf(settings: RunSettings, manner: Exclude<Manner, "ask">): RunOptions {
  const { engine, exact, python } = settings;
  const torch = (...besides: readonly TorchChoice[]) =>
    torchRequestOf([...choicesSet(settings.torch), ...besides], settings.torch);
  switch (manner) {
    case "massif":
      return { args: [], engine: "massif", exact: false, python, torch: undefined };
    case "model":
      return { args: [], engine: "line", exact, python, torch: torch("model") };
    case "settings":
      return { args: [], engine, exact, python, torch: engine === "line" ? torch() : undefined };
  }
}

/** A script of no open folder takes its own folder along, which may be a home folder full of other things. */
async function mayCopy(script: string, projectFolder: string): Promise<boolean> {
  const copy = "Copy and Profile";
  const choice = await vscode.window.showWarningMessage(
    `${script} is in no open folder. Everything in ${projectFolder} will be copied to the board. Continue?`,
    {
      modal: true,
      detail:
        "To copy less, open a folder with only what the script needs, " +
        "or name what is to stay here in a .gitignore file or in the setting jetsonMemprof.exclude.",
    },
    copy,
  );
  return choice === copy;
}

/** Follows a run that goes on on the board, or fetches the rest of one that ended without a connection. */
export async function reconnectCommand(services: Services, run: RunSummary): Promise<void> {
  // The host to connect to comes from a file of the workspace.
  if (!(await isTrusted(RUNS_CODE))) return;
  if (services.active.has(run.folder)) {
    throw new UserError(
      "already-connected",
      `This window already follows ${run.title}.`,
      "Its terminal has the output.",
    );
  }
  const { boardFolder, python } = windowRunSettings(vscode.Uri.file(run.folder));
  const request = { boardFolder, ...(python === undefined ? {} : { python }) };
  const { resumeRun } = await import("../remote.ts");
  await runSession(services, {
    script: run.title,
    targetName: run.simulated ? "simulated board" : targetShortName(run.target ?? "the board"),
    massif: run.massif,
    // What was asked for is not kept; the end offers the account where there is one.
    model: false,
    start: (dependencies) => resumeRun(run.folder, request, dependencies),
  });
}
