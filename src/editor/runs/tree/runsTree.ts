/** The Memory Runs view: runs and groups of runs; below each run its files, functions and lines, heaviest first. */
import * as vscode from "vscode";
import type { RunListEntry, RunSummary } from "../../../protocol/server.ts";
import type { RunGroupRow } from "../../../runs/list/arrange.ts";
import { t } from "../../../words/t.ts";
import type { Ask } from "../../link/ask.ts";
import { coalesced } from "../../link/coalesced.ts";
import { runCommand } from "../../ourCommands.ts";
import type { MeasuredPlace } from "../../page/openPlace.ts";
import type { Report } from "../../report/report.ts";
import type { ActiveRuns } from "../followed/activeRuns.ts";
import type { RunsFolders } from "../runsFolders.ts";
import type { ShownRun } from "../shownRun.ts";
import type { Arrangement } from "./arrangement.ts";
import type { CodeNode } from "./codeNodes.ts";
import { type Listed, listedOf, NOTHING, renew, said } from "./listed.ts";
import { createQuietRefresh } from "./quietRefresh.ts";
import { changedRows, type Said } from "./rowChanges.ts";
import type { RowContext } from "./runItems.ts";

export type RunNode =
  | { readonly kind: "run"; readonly run: RunSummary }
  | RunGroupRow
  | { readonly kind: "unreadable"; readonly folder: string; readonly reason: string }
  | { readonly kind: "nothing"; readonly folder: string; readonly text: string }
  | CodeNode;

export { folderOf } from "./listed.ts";

export interface RunsTree extends vscode.Disposable {
  /** Brings a run into view and opens it. */
  reveal(folder: string): Promise<void>;
  list(): Promise<readonly RunListEntry[]>;
  /** Asks for all of it anew, also for what is below rows that say nothing new. */
  refresh(): void;
  /** The rows that are selected. */
  readonly selection: readonly RunNode[];
  readonly context: RowContext;
  arrangement(): Promise<Arrangement>;
  /** Kept for the workspace. */
  arrange(arrangement: Arrangement): Promise<void>;
}

const REVEAL_ATTEMPTS = 5;
const REVEAL_WAIT_MS = 300;
const KEY = "jetsonMemprof.runsArrangement";

/** What rows are made of is loaded when the view is first seen. */
const rows = () => import("../history/runHistory.ts");

/** The code a row stands for; undefined for rows that stand for a whole run. */
export function placeOf(node: RunNode): MeasuredPlace | undefined {
  return node.kind === "code" && node.place !== undefined ? { folder: node.folder, ...node.place } : undefined;
}

export function createRunsTree(
  ask: Ask,
  folders: RunsFolders,
  shown: ShownRun,
  active: ActiveRuns,
  elsewhere: () => readonly string[],
  report: Report,
  memory: vscode.Memento,
): RunsTree {
  const changed = new vscode.EventEmitter<RunNode[] | undefined>();
  // A command of a row finds no row from the moment the tree is refreshed until its question is answered: the answer
  // is there first. What cannot be had is asked for again, and told then.
  const quiet = createQuietRefresh(
    async () => (view.visible ? await loadRoots().catch(() => undefined) : undefined),
    (answer) => {
      const rows = answer && news(answer);
      if (answer === undefined || rows === undefined) refreshAll(answer);
      else refreshRows(answer, rows);
    },
    (answer) => answer !== undefined && news(answer)?.length === 0,
  );
  /** The answer that VS Code knows: its nodes and no others. */
  let known = NOTHING;
  /** What its rows say; undefined while VS Code is to ask for all of it again. */
  let told: readonly Said[] | undefined;
  /** How often all was asked for anew, and how often live runs had new figures. */
  let asked = 0;
  let moments = 0;
  let taken: readonly string[] = [];
  let isFiltered = false;
  /** The answer to the question that VS Code is about to ask. */
  let ready: Listed | undefined;

  const context: RowContext = {
    get shownFolder() {
      return shown.current?.folder;
    },
    get shownSince() {
      return shown.current?.since;
    },
    followed: (folder) => active.find(folder) ?? (taken.includes(folder) ? "elsewhere" : undefined),
    isMember: (folder) => known.groups.has(folder),
  };
  const arrangement = async (): Promise<Arrangement> => (await rows()).arrangementOf(memory.get(KEY));
  const list = (): Promise<readonly RunListEntry[]> => ask("jetsonMemprof/runs", { folders: folders.all() });
  const loadRoots = async (): Promise<Listed> => {
    const { arrangeRows, describeGroup } = await rows();
    const entries = folders.all().length === 0 ? [] : await list();
    taken = elsewhere();
    const arranged = arrangeRows(entries, await arrangement());
    const above: { message?: string | undefined } = view;
    above.message = arranged.message;
    isFiltered = arranged.isFiltered;
    void vscode.commands.executeCommand("setContext", "jetsonMemprof.runsFiltered", isFiltered);
    return listedOf(arranged.rows, describeGroup);
  };
  const saidOf = (listed: Listed): readonly Said[] => {
    const { shownFolder, shownSince, followed } = context;
    // The rows below runs show what is wanted beside the lines.
    const all = [asked, shown.wanted];
    return said(listed, (node) => {
      if (node.kind !== "run") return all;
      const { folder, state } = node.run;
      const by = followed(folder);
      const activity = typeof by === "object" ? by.isCutOff : by;
      return [...all, folder === shownFolder && (shownSince ?? true), activity, state === "running" && moments];
    });
  };
  const news = (answer: Listed) => told && changedRows(told, saidOf(answer));
  const refreshAll = (answer: Listed | undefined): void => {
    ready = answer;
    told = undefined;
    changed.fire(undefined);
  };
  /** VS Code goes on knowing a row that is refreshed by itself, by the node that it was given first. */
  const refreshRows = (answer: Listed, keys: readonly string[]): void => {
    renew(known, answer);
    told = saidOf(known);
    changed.fire(keys.flatMap((key) => known.all.get(key)?.node ?? []));
  };
  const roots = async (): Promise<RunNode[]> => {
    const answer = ready;
    ready = undefined;
    told = undefined;
    known = answer ?? (await loadRoots());
    told = saidOf(known);
    return known.rows;
  };
  const children = async (node: RunNode | undefined): Promise<RunNode[]> => {
    switch (node?.kind) {
      case undefined:
        return roots();
      case "group":
        return node.runs.flatMap(({ folder }) => known.nodes.get(folder) ?? []);
      case "run": {
        const { folder, massif } = node.run;
        const files = await (await rows()).codeNodes(folder, await ask("jetsonMemprof/runTree", { folder }));
        const text = massif ? t("No Python line is known; the flame view has the stacks.") : t("No line was measured.");
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
        report.error(error, t("Listing the runs"));
        return [];
      }
    },
    getTreeItem: async (node) => (await rows()).treeItem(node, context),
    // Only runs are revealed.
    getParent: (node) => (node.kind === "run" ? known.groups.get(node.run.folder) : undefined),
  };
  const view = vscode.window.createTreeView("jetsonMemprof.runs", {
    treeDataProvider: provider,
    showCollapseAll: true,
    canSelectMany: true,
  });
  // A live run's figures change several times a second.
  const refreshSoon = coalesced(1000, () => {
    moments += 1;
    quiet.requestIfNew();
  });
  const refresh = (): void => {
    asked += 1;
    quiet.requestIfNew();
  };
  const subscriptions = vscode.Disposable.from(
    changed,
    view,
    // A hidden view asks when it is seen again, and what was ready then is old.
    view.onDidChangeVisibility(() => {
      ready = undefined;
    }),
    folders.onChanged(quiet.requestIfNew),
    shown.onSwitched(quiet.requestIfNew),
    shown.onFigures(refreshSoon.call),
    active.onChanged(quiet.requestIfNew),
  );
  const arrange = async (wanted: Arrangement): Promise<void> => {
    await memory.update(KEY, wanted);
    quiet.requestIfNew();
  };

  return {
    list,
    context,
    refresh,
    arrangement,
    arrange,
    get selection() {
      return view.selection;
    },
    async reveal(folder) {
      await runCommand("jetsonMemprof.runs.focus");
      for (let attempt = 1; ; attempt++) {
        const node = known.nodes.get(folder);
        try {
          if (node !== undefined) return await view.reveal(node, { select: true, focus: true, expand: 2 });
        } catch (error) {
          if (attempt === REVEAL_ATTEMPTS) throw error;
        }
        if (attempt === REVEAL_ATTEMPTS) return;
        // Who asks for a run wants to see it, whatever is filtered.
        if (attempt > 1 && isFiltered) await arrange({ ...(await arrangement()), filter: {} });
        // The view does not know a run that was made while it was hidden, until it has asked for the list again.
        told = undefined;
        quiet.request();
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
