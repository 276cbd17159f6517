/**
 * The board's memory in the editor: the pages of runs and of watched boards, and the status bar's item. Loaded on
 * first need, as a bundle of its own.
 */
import * as vscode from "vscode";
import { identifyBoard } from "../../../board/identity/identify.ts";
import type { BoardIdentity } from "../../../profile/model.ts";
import { readMemoryPageState } from "../../../protocol/board/memory.ts";
import type { WatchEvent, WatchHandle } from "../../../protocol/run/run.ts";
import { t } from "../../../words/t.ts";
import type { CommandId } from "../../contributions/commands.ts";
import { runCommand } from "../../ourCommands.ts";
import { openPages } from "../../page/pageHost.ts";
import { openPanel } from "../../page/pageParts.ts";
import type { Services } from "../../services.ts";
import type { MemoryFeed } from "./memoryFeed.ts";
import { fillMemoryPanel } from "./memoryPanel.ts";
import { createMemoryStatusBar, type MemoryStatusBar } from "./memoryStatusBar.ts";
import { createRunFeed } from "./runFeed.ts";
import { createWatchFeed, type WatchFeed } from "./watchFeed.ts";

/** By run folder. */
const runPages = openPages();
/** By target. */
const watches = new Map<string, { readonly panel: vscode.WebviewPanel; readonly feed: WatchFeed }>();
/** The status bar's part of each run that goes on, by run folder. */
const runsFollowed = new Map<string, vscode.Disposable>();
let statusBar: MemoryStatusBar | undefined;

/** Opens the page of a run's board, or brings the one that is open to the front. */
export function openRunMemory(services: Services, folder: string): void {
  if (runPages.reveal(folder) !== undefined) return;
  const panel = openPanel("memory", t("Board Memory"), vscode.ViewColumn.Active);
  fillRunPanel(services, panel, folder);
}

/** Brings a run's page back after VS Code was closed. A watch is not taken up again: nobody asked for it. */
export function restoreMemoryPage(services: Services, panel: vscode.WebviewPanel, saved: unknown): void {
  const folder = readMemoryPageState(saved)?.folder;
  // The state comes from a page: nothing but a run folder that the Memory Runs view lists is taken from it.
  if (folder !== undefined && services.folders.holds(folder)) fillRunPanel(services, panel, folder);
  else panel.dispose();
}

function fillRunPanel(services: Services, panel: vscode.WebviewPanel, folder: string): void {
  fillMemoryPanel(services, panel, runFeed(services, folder), folder);
  runPages.add(folder, { panel });
}

/** The status bar shows the memory of the board on which a run of this window goes on. */
export function followRuns(services: Services): void {
  const folders = services.active.all().flatMap(({ folder }) => (folder === undefined ? [] : [folder]));
  for (const folder of folders) {
    if (runsFollowed.has(folder)) continue;
    const open = {
      command: "jetsonMemprof.showBoardMemory" satisfies CommandId,
      title: t("Show Board Memory"),
      arguments: [folder],
    };
    runsFollowed.set(folder, bar(services).follow(runFeed(services, folder), open));
  }
  for (const [folder, following] of runsFollowed) {
    if (folders.includes(folder)) continue;
    following.dispose();
    runsFollowed.delete(folder);
  }
}

export interface WatchPlan {
  /** In the form `parseTarget` reads. */
  readonly target: string;
  /** What the user calls it. */
  readonly title: string;
  /** What is simulated, where the target itself says so. */
  readonly simulated?: string;
  watch(onEvent: (event: WatchEvent) => void): WatchHandle;
}

/** True where the page of a board that is watched was there and is shown. */
export function revealWatch(target: string): boolean {
  const open = watches.get(target);
  open?.panel.reveal();
  return open !== undefined;
}

/** Watches a board until its page is closed. */
export function openWatch(services: Services, plan: WatchPlan): void {
  const { target, title, simulated } = plan;
  const panel = openPanel("memory", t("Board Memory"), vscode.ViewColumn.Active);
  const feed = createWatchFeed({ title, ...(simulated && { simulated }) }, (onEvent) => plan.watch(onEvent), describe);
  watches.set(target, { panel, feed });
  const open = {
    command: "jetsonMemprof.watchMemory" satisfies CommandId,
    title: t("Show Board Memory"),
    arguments: [target],
  };
  const following = bar(services).follow(feed, open);
  const dismiss = (): void => void following.dispose();
  fillMemoryPanel(services, panel, feed, undefined);
  const forget = (): void => {
    // By then another watch of the same board may have begun.
    if (watches.get(target)?.panel === panel) watches.delete(target);
    dismiss();
  };
  panel.onDidDispose(() => {
    forget();
    feed.stop();
  });
  void feed.done.then((error) => {
    forget();
    if (error === undefined) return;
    // A page with figures stays; an empty one would only say the message once more.
    if (!feed.hasRecords()) panel.dispose();
    const again = () => runCommand("jetsonMemprof.watchMemory", target);
    services.report.error(error, t("Watching {0}", title), { [t("Watch Again")]: again });
  });
}

function bar({ context, log }: Services): MemoryStatusBar {
  if (statusBar === undefined) {
    statusBar = createMemoryStatusBar(log);
    context.subscriptions.push(statusBar);
  }
  return statusBar;
}

function runFeed({ active, ask, log }: Services, folder: string): MemoryFeed {
  return createRunFeed(folder, {
    async phases() {
      try {
        return await ask("jetsonMemprof/phases", { folder });
      } catch (error) {
        log.warn(`The phases of ${folder} cannot be read: ${error}`);
        return [];
      }
    },
    connectionTo(run) {
      const followed = active.find(run);
      if (followed === undefined) return "none";
      return followed.isCutOff ? "lost" : "open";
    },
    describe,
    async massifPeak() {
      try {
        const tree = await ask("jetsonMemprof/runTree", { folder });
        return tree.kind === "heap" ? tree.peak : undefined;
      } catch (error) {
        log.warn(`Massif's peak of ${folder} cannot be read: ${error}`);
        return undefined;
      }
    },
  });
}

function describe({ model, compatible, l4t, memTotal }: BoardIdentity): string | undefined {
  if (model === undefined && l4t === undefined) return undefined;
  return identifyBoard({
    ...(model && { model }),
    ...(compatible && { compatible }),
    ...(l4t && { l4t }),
    ...(memTotal && { memTotal }),
  }).title;
}
