/** "Choose Container on the Board…": where on it scripts run from now on. */
import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { isTrusted } from "../report/trust.ts";
import type { Services } from "../services.ts";
import { windowRunSettings } from "../settings/windowSettings.ts";
import { connected } from "./connected.ts";
import { containerItems } from "./containerItems.ts";
import { targetLabel } from "./targetItems.ts";
import { pickTarget, rememberTarget } from "./targetPicker.ts";

export async function chooseContainer(services: Services): Promise<void> {
  if (!(await isTrusted(t("Looking for containers connects to a host that this workspace may name.")))) return;
  const { context, log, report } = services;
  const settings = windowRunSettings();
  const text = settings.target ?? (await pickTarget(context, log, t("Choose a container of which board?")));
  if (text === undefined) return;
  const { formatTarget, listContainers, parseTarget } = await import("../remote.ts");
  const target = parseTarget(text);
  const label = targetLabel(formatTarget(target));
  const helperFolder = context.asAbsolutePath("python-helper");
  const engines = await connected(services, t("Looking for containers on {0}", label), (prompter, signal) =>
    listContainers({ target, boardFolder: settings.boardFolder }, { prompter, helperFolder }, signal),
  );
  if (engines.length === 0) {
    throw new UserError(
      "no-engine",
      t("{0} has neither docker nor podman nor nerdctl.", label),
      t("Install one of them on the board, or run scripts on the board itself."),
    );
  }
  if (settings.target === undefined) await rememberTarget(services, formatTarget(target));
  const chosen = await vscode.window.showQuickPick(containerItems(engines, settings.container ?? ""), {
    title: t("{0}: where do scripts run?", label),
    placeHolder: t("A container that runs, or an image of which one is made for each run"),
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  if (chosen === undefined) return;
  const { ConfigurationTarget, workspace } = vscode;
  const where = workspace.workspaceFolders === undefined ? ConfigurationTarget.Global : ConfigurationTarget.Workspace;
  await workspace.getConfiguration("jetsonMemprof").update("container", chosen.inside || undefined, where);
  report.tell(
    "information",
    chosen.inside === "" ? t("Scripts now run on the board itself.") : t("Scripts now run in {0}.", chosen.label),
  );
}
