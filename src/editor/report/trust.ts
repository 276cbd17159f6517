/** What waits until the user trusts the workspace says so, with the way to trust it. */
import * as vscode from "vscode";
import { t } from "../../words/t.ts";

export const runsCode = (): string => t("Profiling runs this workspace's code on hosts it may name.");

/** @param why what would happen and why that needs trust, a sentence */
export async function isTrusted(why: string): Promise<boolean> {
  if (vscode.workspace.isTrusted) return true;
  const manage = t("Manage Workspace Trust");
  const choice = await vscode.window.showWarningMessage(
    t("{0} The workspace is not trusted. Trust it first, then try again.", why),
    manage,
  );
  if (choice === manage) await vscode.commands.executeCommand("workbench.trust.manage");
  return false;
}
