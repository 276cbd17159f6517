/** Asks where to run, and remembers what answered: for the workspace, and for those that have none yet. */
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import { t } from "../../words/t.ts";
import { runCommand } from "../ourCommands.ts";
import { problemOf } from "../report/asUserError.ts";
import type { Services } from "../services.ts";
import { reached } from "../start/milestones.ts";
import { type TargetItem, targetItems, targetLabel, typedItem } from "./targetItems.ts";

const KEY = "jetsonMemprof.lastTarget";

type TargetMemory = Pick<vscode.ExtensionContext, "workspaceState" | "globalState">;
type Item = vscode.QuickPickItem & { readonly target: string | undefined };

/** The target in the form `parseTarget` reads; undefined when the user declined. */
export async function pickTarget(
  { workspaceState, globalState }: TargetMemory,
  log: vscode.LogOutputChannel,
  title: string,
): Promise<string | undefined> {
  const { parseTarget, formatTarget } = await import("../remote.ts");
  const check = (text: string): string | undefined => problemOf(() => parseTarget(text));
  const remembered = workspaceState.get<unknown>(KEY) ?? globalState.get<unknown>(KEY);
  const known = targetItems({
    remembered: typeof remembered === "string" && check(remembered) === undefined ? remembered : undefined,
    configured: await configuredHosts(log),
    runsHere: process.platform === "linux",
  });
  const chosen = await choose(known, check, title);
  if (chosen === undefined) return undefined;
  reached("board");
  return formatTarget(parseTarget(chosen));
}

/** It is offered first from now on. A board that never answered is not worth that. Never fails. */
export async function rememberTarget(
  { context, log }: Pick<Services, "context" | "log">,
  target: string,
): Promise<void> {
  try {
    await context.workspaceState.update(KEY, target);
    await context.globalState.update(KEY, target);
  } catch (error) {
    log.warn(`${target} could not be remembered: ${error}`);
  }
}

export async function configuredHosts(log: vscode.LogOutputChannel): Promise<readonly string[]> {
  try {
    return await (await import("../remote.ts")).configuredHosts();
  } catch (error) {
    // The picker is of use without them: the user can type the host.
    log.warn(`The SSH configuration's hosts could not be read: ${error}`);
    return [];
  }
}

async function choose(
  known: readonly TargetItem[],
  check: (text: string) => string | undefined,
  title: string,
): Promise<string | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = title;
  picker.placeholder = t("Choose a board, or type user@host or user@host:port");
  picker.ignoreFocusOut = true;
  picker.matchOnDescription = true;
  const show = (): void => {
    picker.items = [...known.map(item), { ...item(typedItem(picker.value, check)), alwaysShow: true }];
  };
  show();
  try {
    const accepted = await new Promise<{ target: string | undefined; typed: string } | undefined>((resolve) => {
      picker.onDidChangeValue(show);
      picker.onDidAccept(() => {
        const [first] = picker.selectedItems;
        if (first !== undefined) resolve({ target: first.target, typed: picker.value });
      });
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
    if (accepted === undefined || accepted.target !== undefined) return accepted?.target;
    return await typeTarget(accepted.typed, check, title);
  } finally {
    picker.dispose();
  }
}

function typeTarget(
  typed: string,
  check: (text: string) => string | undefined,
  title: string,
): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt: t("user@host, user@host:port, or a name of your SSH configuration"),
    placeHolder: "nano@192.168.1.20",
    value: typed,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === "" ? undefined : check(text)),
  });
}

function item(target: TargetItem): Item {
  return {
    label: target.label,
    iconPath: new vscode.ThemeIcon(target.icon),
    target: target.target,
    ...defined({ description: target.description, detail: target.detail }),
  };
}

/** The command that only chooses: the next run offers the choice first, unless the setting decides. */
export async function selectTarget(
  services: Pick<Services, "context" | "log">,
  setting: string | undefined,
): Promise<void> {
  const target = await pickTarget(services.context, services.log, t("Select Jetson Target"));
  if (target === undefined) return;
  await rememberTarget(services, target);
  if (setting === undefined) {
    const verify = t("Verify Its Key");
    const text = t("{0} is offered first from now on.", targetLabel(target));
    // There is nothing between this computer and itself.
    const next = await vscode.window.showInformationMessage(text, ...(target === "local" ? [] : [verify]));
    if (next === verify) await runCommand("jetsonMemprof.verifyKey", target);
    return;
  }
  const choice = await vscode.window.showInformationMessage(
    t(
      "{0} is remembered, but the setting jetsonMemprof.target ({1}) takes precedence while it is set.",
      targetLabel(target),
      setting,
    ),
    t("Open Settings"),
  );
  if (choice !== undefined)
    await vscode.commands.executeCommand("workbench.action.openSettings", "jetsonMemprof.target");
}
