/** The Memory Runs view: runs, newest first; below each its files, functions and lines, heaviest first. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { RunListEntry, RunSummary } from "../../protocol/server.ts";
import type { Ask } from "../ask.ts";
import { coalesced } from "../coalesced.ts";
import type { MeasuredPlace } from "../openPlace.ts";
import type { Report } from "../report.ts";
import type { ActiveRuns } from "../run/activeRuns.ts";
import type { ShownRun } from "../shownRun.ts";
import { type CodeNode, codeNodes } from "./codeNodes.ts";
import { describeRun, endedBadly, type RowText, runActivity, runIcon } from "./describe.ts";
import { createQuietRefresh } from "./quietRefresh.ts";
import { renewRows } from "./renewRows.ts";
import type { RunsFolders } from "./runsFolders.ts";

export type RunNode =
  | { readonly kind: "run"; readonly run: RunSummary }
  | { readonly kind: "unreadable"; readonly folder: string; readonly reason: string }
  | { readonly kind: "nothing"; readonly folder: string; readonly text: string }
  | CodeNode;

export interface RunsTree extends vscode.Disposable {
  /** Brings a run into view and opens it. */
  reveal(folder: string): Promise<void>;
  list(): Promise<readonly RunListEntry[]>;
}

const REVEAL_ATTEMPTS = 5;
const REVEAL_WAIT_MS = 300;

/** The run folder a row belongs to. */
export function folderOf(node: RunNode): string {
  return node.kind === "run" ? node.run.folder : node.folder;
}

/** The code a row stands for; undefined for rows that stand for a whole run. */
export function placeOf(node: RunNode): MeasuredPlace | undefined {
  return node.kind === "code" && node.place !== undefined ? { folder: node.folder, ...node.place } : undefined;
}

export function createRunsTree(
  ask: Ask,
  folders: RunsFolders,
  shown: ShownRun,
  active: ActiveRuns,
  report: Report,
): RunsTree {
  const changed = new vscode.EventEmitter<RunNode[] | undefined>();
  let roots: RunListEntry[] = [];
  /** The answer to the question that VS Code is about to ask. */
  let ready: readonly RunListEntry[] | undefined;
  /** Whether rows may say something else though the list says the same. */
  let all = false;
  // A command of a row finds no row from the moment the tree is refreshed until its question is answered: the answer
  // is there first, and rows that VS Code can go on knowing are refreshed by themselves. What cannot be had is asked
  // for again, and told then.
  const quiet = createQuietRefresh(
    async () => (view.visible && folders.all().length > 0 ? await list().catch(() => undefined) : undefined),
    (answer) => {
      const rows = all || answer === undefined ? undefined : renewRows(roots, answer);
      all = false;
      if (rows === undefined) {
        ready = answer;
        changed.fire(undefined);
      } else if (rows.length > 0) changed.fire(rows);
    },
  );

  const list = (): Promise<readonly RunListEntry[]> => ask("jetsonMemprof/runs", { folders: folders.all() });
  const loadRoots = async (): Promise<RunNode[]> => {
    const answer = ready;
    ready = undefined;
    roots = folders.all().length === 0 ? [] : [...(answer ?? (await list()))];
    return roots;
  };
  const children = async (node: RunNode | undefined): Promise<RunNode[]> => {
    switch (node?.kind) {
      case undefined:
        return loadRoots();
      case "run": {
        const { folder, massif } = node.run;
        const files = codeNodes(folder, await ask("jetsonMemprof/runTree", { folder }));
        const text = massif ? "No Python line is known; the flame view has the stacks." : "No line was measured.";
        return files.length === 0 ? [{ kind: "nothing", folder, text }] : files;
      }
      case "code":
        return [...node.children];
      default:
        return [];
    }
  };
  const provider: vscode.TreeDataProvider<RunNode> = {
    onDidChangeTreeData: changed.event,
    getChildren: async (node) => {
      try {
        return await quiet.answer(() => children(node));
      } catch (error) {
        report.error(error, "Listing the runs");
        return [];
      }
    },
    getTreeItem: (node) => treeItem(node, shown.current?.folder, active),
    // Only runs are revealed, and they have no parent.
    getParent: () => undefined,
  };
  const view = vscode.window.createTreeView("jetsonMemprof.runs", {
    treeDataProvider: provider,
    showCollapseAll: true,
  });
  const refreshAll = (): void => {
    all = true;
    quiet.request();
  };
  // A live run's figures change several times a second.
  const refreshSoon = coalesced(1000, quiet.request);
  const subscriptions = vscode.Disposable.from(
    changed,
    view,
    // A hidden view asks when it is seen again, and what was ready then is old.
    view.onDidChangeVisibility(() => {
      ready = undefined;
    }),
    folders.onChanged(refreshAll),
    shown.onSwitched(refreshAll),
    shown.onFigures(refreshSoon.call),
    active.onChanged(refreshAll),
  );

  return {
    list,
    async reveal(folder) {
      await vscode.commands.executeCommand("jetsonMemprof.runs.focus");
      for (let attempt = 1; ; attempt++) {
        const node = roots.find((candidate) => folderOf(candidate) === folder);
        try {
          if (node !== undefined) return await view.reveal(node, { select: true, focus: true, expand: 2 });
        } catch (error) {
          if (attempt === REVEAL_ATTEMPTS) throw error;
        }
        if (attempt === REVEAL_ATTEMPTS) return;
        // The view does not know a run that was made while it was hidden, until it has asked for the list again.
        refreshAll();
        await new Promise((resolve) => setTimeout(resolve, REVEAL_WAIT_MS));
      }
    },
    dispose() {
      refreshSoon.cancel();
      quiet.dispose();
      subscriptions.dispose();
    },
  };
}

function treeItem(node: RunNode, shownFolder: string | undefined, active: ActiveRuns): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  switch (node.kind) {
    case "run": {
      const { run } = node;
      const activity = runActivity(run, active.has(run.folder));
      const isShown = run.folder === shownFolder;
      const item = row(describeRun(run, activity, isShown), Collapsed);
      item.id = run.folder;
      item.iconPath = new vscode.ThemeIcon(runIcon(activity, run.exit, isShown));
      const state = { active: "runActive", unfinished: "runUnfinished", finished: "runFinished" }[activity];
      item.contextValue = `${state}${endedBadly(run) ? "Badly" : ""}${run.snapshots.length > 0 ? "Snapshots" : ""}${run.massif ? "Massif" : run.model ? "Model" : ""}`;
      return item;
    }
    case "unreadable": {
      const name = path.basename(node.folder);
      // The folder is the row itself: what is wrong in it must be seen where the view is narrow.
      const reason = node.reason.replaceAll(node.folder + path.sep, "").replaceAll(node.folder, "The folder");
      const item = row(
        {
          label: reason,
          description: name,
          tooltip: node.reason,
          spoken: `Unreadable run ${name}, ${reason}`,
        },
        None,
      );
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
      const item = row(node.text, node.level === "line" ? None : Collapsed);
      item.id = node.id;
      item.contextValue = node.level;
      if (node.icon !== undefined) item.iconPath = new vscode.ThemeIcon(node.icon);
      if (node.level === "line") {
        item.command = { command: "jetsonMemprof.openLine", title: "Go to Line", arguments: [node] };
      }
      return item;
    }
  }
}

function row(text: RowText, state: vscode.TreeItemCollapsibleState): vscode.TreeItem {
  const item = new vscode.TreeItem(text.label, state);
  item.description = text.description;
  item.tooltip = text.tooltip;
  item.accessibilityInformation = { label: text.spoken };
  return item;
}
