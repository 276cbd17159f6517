/** "Choose Python on the Board…": which of a board's interpreters runs scripts from now on. */
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import { t } from "../../words/t.ts";
import { boardOf } from "../board/doctor/doctorBoard.ts";
import { runCommand } from "../ourCommands.ts";
import { asUserError } from "../report/asUserError.ts";
import { isTrusted } from "../report/trust.ts";
import { lastPlan, rememberPlan } from "../run/lastPlan.ts";
import type { Services } from "../services.ts";
import { windowRunSettings } from "../settings/windowSettings.ts";
import { pythonItems } from "./pythonItems.ts";
import { pickTarget, rememberTarget } from "./targetPicker.ts";

/** @param argument the target, and what a script could not import there, where they are known */
export async function choosePython(services: Services, argument: unknown): Promise<void> {
  if (!(await isTrusted(t("Looking for Pythons connects to a host that this workspace may name.")))) return;
  const { context, log } = services;
  const wish = wishOf(argument);
  const settings = windowRunSettings();
  const known = wish.target ?? settings.target;
  const target = known ?? (await pickTarget(context, log, t("Choose the Python of which board?")));
  if (target === undefined) return;
  const board = await boardOf(services, target, settings);
  const { place, target: reached } = board;
  const pythons = await board.pythons().catch(async (error: unknown) => {
    // The one that is set may be what does not work: then the others are looked for without it.
    if (settings.python === undefined || !isOfPython(error)) throw error;
    return (await boardOf(services, target, { ...settings, python: undefined })).pythons();
  });
  if (known === undefined) await rememberTarget(services, reached);
  const chosen = await vscode.window.showQuickPick(pythonItems(pythons, wish.module), {
    title: t("Which Python runs scripts on {0}?", place),
    ...defined({
      placeHolder: wish.module === undefined ? undefined : t("The script could not import {0}", wish.module),
    }),
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  if (chosen !== undefined) await take(services, reached, chosen.path, `${chosen.label} (${chosen.description})`);
}

const isOfPython = (error: unknown): boolean => /^(no-python|python-)/.test(asUserError(error)?.code ?? "");

async function take(services: Services, target: string, python: string, name: string): Promise<void> {
  const { context, report } = services;
  const { ConfigurationTarget, workspace } = vscode;
  const where = workspace.workspaceFolders === undefined ? ConfigurationTarget.Global : ConfigurationTarget.Workspace;
  await workspace.getConfiguration("jetsonMemprof").update("python", python, where);
  const { formatTarget, parseTarget } = await import("../remote.ts");
  const text = t("Scripts now run with {0}.", name);
  const last = lastPlan(context.workspaceState);
  if (last === undefined || formatTarget(parseTarget(last.target)) !== target) return report.tell("information", text);
  const { how } = last;
  // What was answered then goes before the setting.
  if (how.manner === "ask")
    await rememberPlan(context.workspaceState, { ...last, how: { ...how, options: { ...how.options, python } } });
  report.tell("information", text, {
    [t("Profile Again")]: () => runCommand("jetsonMemprof.profileAgain"),
  });
}

function wishOf(argument: unknown): { readonly target?: string; readonly module?: string } {
  const { target, module } = (argument ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...(typeof target === "string" ? { target } : {}),
    ...(typeof module === "string" ? { module } : {}),
  };
}
