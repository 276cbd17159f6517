/** After a run has ended: what the settings say is too much is deleted, and the user told once, with the way back. */
import * as vscode from "vscode";
import { restoreRun } from "../../history/deleted.ts";
import { planPruning, prune } from "../../history/pruneProject.ts";
import { formatCount } from "../../profile/format.ts";
import { t } from "../../words/t.ts";
import type { Services } from "../services.ts";
import { historyLimits } from "./historySettings.ts";

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
  if (plan.remove.length + plan.forget.length === 0) return;
  const { moved, failures } = await prune(plan);
  log.info(`Pruned ${projectFolder}: deleted ${plan.remove.join(", ")}; removed for good ${plan.forget.join(", ")}`);
  for (const failure of failures) log.warn(`Pruning: ${failure.message}`);
  if (moved.length === 0) return;
  folders.changed();
  const text =
    moved.length === 1
      ? t("An old run was deleted to keep the history within its limits. Pinned runs always stay.")
      : t(
          "{0} old runs were deleted to keep the history within its limits. Pinned runs always stay.",
          formatCount(moved.length),
        );
  report.tell("information", text, {
    [t("Undo")]: async () => {
      for (const place of moved) await restoreRun(place);
      folders.changed();
    },
    [t("Settings")]: () => vscode.commands.executeCommand("workbench.action.openSettings", "jetsonMemprof.history"),
  });
}

function comparedWith({ shown }: Services, folder: string): boolean {
  return Object.values(shown.compared ?? {})
    .flat()
    .includes(folder);
}
