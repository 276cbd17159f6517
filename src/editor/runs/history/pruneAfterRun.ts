/** After a run has ended: what the settings say is too much goes, and the user is told once, with the way back. */
import * as vscode from "vscode";
import { restoreRun } from "../../../runs/pruning/deleted.ts";
import { planPruning, prune } from "../../../runs/pruning/pruneProject.ts";
import { t } from "../../../words/t.ts";
import type { Services } from "../../services.ts";
import { historyLimits } from "./historySettings.ts";
import { prunedText } from "./prunedText.ts";

/** @param made the run that has ended: it stays, and so do those that it is made together with, as in a sweep under way */
export async function pruneAfterRun(services: Services, projectFolder: string, made: string): Promise<void> {
  const { active, folders, log, report, shown } = services;
  // What an untrusted workspace's files say deletes nothing.
  if (!vscode.workspace.isTrusted) return;
  const configuration = vscode.workspace.getConfiguration("jetsonMemprof", vscode.Uri.file(projectFolder));
  const limits = historyLimits((name) => configuration.get(name));
  const guards = (folder: string): boolean =>
    folder === made ||
    active.find(folder) !== undefined ||
    folder === shown.current?.folder ||
    comparedWith(services, folder);
  const plan = await planPruning(projectFolder, limits, guards);
  if (plan.unreachable.length > 0) {
    log.warn(`Pruning ${projectFolder}: the runs that stay are above ${plan.unreachable.join(" and ")} by themselves`);
  }
  if (plan.remove.length + plan.forget.length === 0) return;
  const { moved, forgotten, failures } = await prune(plan);
  log.info(`Pruned ${projectFolder}: deleted ${plan.remove.join(", ")}; removed for good ${plan.forget.join(", ")}`);
  for (const failure of failures) log.warn(`Pruning: ${failure.message}`);
  if (moved.length + forgotten.length === 0) return;
  folders.changed();
  const undo = async (): Promise<void> => {
    for (const place of moved) await restoreRun(place);
    folders.changed();
  };
  report.tell("information", prunedText(moved.length, forgotten.length), {
    ...(moved.length === 0 ? {} : { [t("Undo")]: undo }),
    [t("Settings")]: () => vscode.commands.executeCommand("workbench.action.openSettings", "jetsonMemprof.history"),
  });
}

function comparedWith({ shown }: Services, folder: string): boolean {
  return Object.values(shown.compared ?? {})
    .flat()
    .includes(folder);
}
