/** The rows of the Memory Runs view as VS Code shows them. */
import * as path from "node:path";
import * as vscode from "vscode";
import { defined } from "../../../profile/defined.ts";
import { printable, printableLines } from "../../../profile/text/text.ts";
import type { RunSummary } from "../../../runs/model.ts";
import { t } from "../../../words/t.ts";
import type { CommandId } from "../../contributions/commands.ts";
import { withoutIcons } from "../../report/plainText.ts";
import type { RowText } from "../words/describe.ts";
import {
  describeGroup,
  describeRun,
  endedBadly,
  type Followed,
  type RunActivity,
  runActivity,
  runIcon,
} from "../words/describeRun.ts";
import type { CodeNode } from "./codeNodes.ts";
import type { RunNode } from "./runsTree.ts";

/** What of the window a row depends on. */
export interface RowContext {
  readonly shownFolder: string | undefined;
  /** Its lines are of what came after this moment, ms since it began. */
  readonly shownSince: number | undefined;
  /** Undefined where no window follows it. */
  followed(folder: string): Followed | undefined;
  /** The run's row stands below its group's. */
  isMember(folder: string): boolean;
}

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

export function treeItem(node: RunNode, context: RowContext): vscode.TreeItem {
  switch (node.kind) {
    case "run":
      return runItem(node.run, context);
    case "group": {
      const item = row(describeGroup(node), Collapsed);
      item.id = `group\n${node.id}`;
      item.iconPath = new vscode.ThemeIcon(node.makes === "sweep" ? "graph-scatter" : "versions");
      item.contextValue = node.makes === "sweep" ? "runGroupSweep" : "runGroupRepeat";
      if (node.makes === "sweep") {
        item.command = {
          command: "jetsonMemprof.showSweep" satisfies CommandId,
          title: t("Show Sweep"),
          arguments: [node],
        };
      }
      return item;
    }
    case "unreadable": {
      const name = path.basename(node.folder);
      // The folder is the row itself: what is wrong in it must be seen where the view is narrow.
      const reason = node.reason.replaceAll(node.folder + path.sep, "").replaceAll(node.folder, t("The folder"));
      const spoken = t("Unreadable run {0}, {1}", name, reason);
      const item = row({ label: reason, description: name, tooltip: node.reason, spoken }, None);
      item.id = node.folder;
      item.iconPath = new vscode.ThemeIcon("warning");
      item.contextValue = "unreadable";
      return item;
    }
    case "nothing": {
      const item = new vscode.TreeItem(node.text, None);
      item.id = `${node.folder}\n`;
      return item;
    }
    case "code": {
      const item = row(node.text, stateOf(node));
      item.id = node.id;
      if (node.icon !== undefined) item.iconPath = new vscode.ThemeIcon(node.icon);
      // What stands for lines that are not listed leads nowhere.
      if (node.level !== "line" || node.place !== undefined) item.contextValue = node.level;
      // What opens others is not left by a click.
      if (node.children.length === 0 && node.place !== undefined) {
        item.command = {
          command: "jetsonMemprof.openLine" satisfies CommandId,
          title: t("Go to Line"),
          arguments: [node],
        };
      }
      return item;
    }
  }
}

function stateOf({ level, children }: CodeNode): vscode.TreeItemCollapsibleState {
  if (children.length === 0) return None;
  return level === "heaviest" ? Expanded : Collapsed;
}

const STATES: Readonly<Record<RunActivity, string>> = {
  active: "runActive",
  "cut-off": "runActiveCutOff",
  elsewhere: "runUnfinishedElsewhere",
  unfinished: "runUnfinished",
  finished: "runFinished",
};

const ERROR = new vscode.ThemeColor("list.errorForeground");

function runItem(listed: RunSummary, { shownFolder, shownSince, followed, isMember }: RowContext): vscode.TreeItem {
  const isShown = listed.folder === shownFolder;
  const run = { ...listed, ...defined({ since: isShown ? shownSince : undefined }) };
  const activity = runActivity(run, followed(run.folder));
  const place = isMember(run.folder) ? "group" : "root";
  const item = row(describeRun(run, activity, isShown, { place }), Collapsed);
  item.id = run.folder;
  const icon = runIcon(activity, run, isShown);
  item.iconPath = icon === "error" ? new vscode.ThemeIcon(icon, ERROR) : new vscode.ThemeIcon(icon);
  const words = [
    STATES[activity],
    endedBadly(run) ? "Badly" : "",
    run.label.pinned ? "Pinned" : "Unpinned",
    (run.git?.changed.length ?? 0) > 0 ? "Changes" : "",
    run.snapshots.length > 0 ? "Snapshots" : "",
    run.sampled === true ? "Stacks" : "",
    run.massif ? "Massif" : run.model ? "Model" : "",
  ];
  item.contextValue = words.join("");
  return item;
}

/** What a run's files say is not ours: nothing in it turns the writing around or hides. */
function row(text: RowText, state: vscode.TreeItemCollapsibleState): vscode.TreeItem {
  const item = new vscode.TreeItem(printable(text.label), state);
  item.description = printable(text.description);
  item.tooltip = printableLines(text.tooltip);
  item.accessibilityInformation = { label: printable(text.spoken) };
  return item;
}

export interface RunItem extends vscode.QuickPickItem {
  readonly run: RunSummary;
}

/** Runs to be chosen from a list. */
export function quickItem(run: RunSummary, { shownFolder, followed }: RowContext): RunItem {
  const shown = run.folder === shownFolder;
  const text = describeRun(run, runActivity(run, followed(run.folder)), shown);
  const description = shown ? `${t("shown")} · ${text.description}` : text.description;
  // In these rows $(name) would be an icon.
  const plain = (part: string): string => withoutIcons(printable(part));
  return { label: plain(text.label), description: plain(description), run };
}
