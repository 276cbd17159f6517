/** The sign in the status bar that a comparison is shown. */
import * as vscode from "vscode";
import type { ComparedFolders } from "../../protocol/compare.ts";
import type { RunSummary } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import type { HiddenCommandId } from "../contributions/commands.ts";
import type { Ask } from "../link/ask.ts";
import { registerCommand } from "../ourCommands.ts";
import type { Report } from "../report/report.ts";
import type { RunsFolders } from "../runs/runsFolders.ts";
import { areThere, type ShownRun } from "../runs/shownRun.ts";
import { signText } from "./signText.ts";

export interface SignParts {
  readonly ask: Ask;
  readonly report: Report;
  readonly folders: RunsFolders;
  readonly shown: ShownRun;
  readonly context: Pick<vscode.ExtensionContext, "extensionUri" | "subscriptions">;
}

let item: vscode.StatusBarItem | undefined;

/** Shows the sign as the comparison is now, or hides it. */
export async function showSign(parts: SignParts, menu: () => Promise<void>): Promise<void> {
  item ??= createItem(parts, menu);
  const { compared, current } = parts.shown;
  const [first] = compared?.before ?? [];
  if (first === undefined || current === undefined) {
    item.hide();
    return;
  }
  const before = await parts.ask("jetsonMemprof/runSummary", { folder: first });
  if (parts.shown.compared === compared) fill(item, before, current);
}

function fill(shown: vscode.StatusBarItem, before: RunSummary, after: RunSummary): void {
  const { text, tooltip } = signText(before, after);
  shown.text = text;
  shown.tooltip = tooltip;
  shown.show();
}

function createItem(parts: SignParts, menu: () => Promise<void>): vscode.StatusBarItem {
  const { context, folders, report } = parts;
  const made = vscode.window.createStatusBarItem("jetsonMemprof.comparison", vscode.StatusBarAlignment.Left, 1);
  made.name = t("Jetson Memory: Comparison");
  made.command = "jetsonMemprof.comparisonMenu" satisfies HiddenCommandId;
  context.subscriptions.push(
    made,
    registerCommand("jetsonMemprof.comparisonMenu", () => report.guard(t("Comparing runs"), menu)),
    folders.onChanged(() => void report.guard(t("Following what is compared"), () => stopWhereGone(parts))),
  );
  return made;
}

async function stopWhereGone({ shown, report }: SignParts): Promise<void> {
  const { compared, current } = shown;
  if (compared === undefined || current === undefined || (await areThere(compared))) return;
  if (!isStill(shown, compared)) return;
  await shown.show(current.folder);
  report.tell("information", t("A run that was compared is gone, so the shown run's own figures are shown."));
}

const isStill = ({ compared }: ShownRun, asked: ComparedFolders): boolean => compared === asked;
