/** The page of a sweep, one for each. */
import * as vscode from "vscode";
import { defined } from "../../profile/defined.ts";
import {
  readSweepPageState,
  readSweepPageToEditor,
  type SweepPageToEditor,
  type ToSweepPage,
} from "../../protocol/sweep.ts";
import type { FoundSweep } from "../../sweep/command.ts";
import { t } from "../../words/t.ts";
import type { Ask } from "../link/ask.ts";
import { hostPage, openPages } from "../page/pageHost.ts";
import { openPanel } from "../page/pageParts.ts";
import { messageOf } from "../report/asUserError.ts";
import type { Report } from "../report/report.ts";
import type { RunsFolders } from "../runs/runsFolders.ts";
import type { ShownRun } from "../runs/shownRun.ts";
import type { RunsTree } from "../runs/tree/runsTree.ts";
import { sweepHtml } from "./sweepHtml.ts";

export interface PanelParts {
  readonly ask: Ask;
  readonly report: Report;
  readonly folders: RunsFolders;
  readonly shown: ShownRun;
  readonly tree: RunsTree;
  readonly context: Pick<vscode.ExtensionContext, "extensionUri" | "workspaceState">;
  /** Makes the runs that are missing. */
  readonly resume: (found: FoundSweep) => Promise<void>;
}

interface SweepPage {
  readonly panel: vscode.WebviewPanel;
  refresh(): void;
}

/** By the group's id. */
const pages = openPages<SweepPage>();
/** What is under way in this window, by the group's id. */
const making = new Map<string, string>();

/** Opens the page of a sweep, or brings the one that is open to the front. */
export function openSweep(parts: PanelParts, id: string): void {
  if (pages.reveal(id) === undefined) fill(parts, openPanel("sweep", t("Sweep"), vscode.ViewColumn.Active), id);
}

/** Brings a page back after VS Code was closed. Its runs are looked for in this workspace only. */
export function restoreSweep(parts: PanelParts, panel: vscode.WebviewPanel, saved: unknown): void {
  const state = readSweepPageState(saved);
  if (state === undefined) panel.dispose();
  else fill(parts, panel, state.sweep);
}

/** @param text undefined where nothing is under way any more */
export function sayMaking(id: string, text: string | undefined): void {
  if (text === undefined) making.delete(id);
  else making.set(id, text);
  pages.get(id)?.refresh();
}

function fill(parts: PanelParts, panel: vscode.WebviewPanel, id: string): void {
  const { ask, folders, shown, tree, resume } = parts;
  const find = (): Promise<FoundSweep> => ask("jetsonMemprof/sweep", { id, runsFolders: folders.all() });
  const load = async (): Promise<ToSweepPage> => {
    try {
      const { sweep } = await find();
      page.setTitle(t("Sweep: {0}", sweep.title));
      const now = making.get(id);
      return { kind: "sweep", sweep, ...defined({ making: now }) };
    } catch (error) {
      return { kind: "unavailable", message: messageOf(error) };
    }
  };
  const send = async (): Promise<void> => page.post(await load());
  const page = hostPage<ToSweepPage, SweepPageToEditor>(parts, panel, {
    name: "sweep",
    doing: t("Showing the sweep"),
    html: (bundle) => sweepHtml({ ...bundle, sweep: id }),
    read: readSweepPageToEditor,
    async received(message): Promise<void> {
      switch (message.kind) {
        case "ready":
          return send();
        case "openRun":
          // The folder comes from a page: nothing but a run that the Memory Runs view lists is opened.
          if (!folders.holds(message.folder)) return;
          await shown.show(message.folder);
          return tree.reveal(message.folder);
        case "resume":
          return resume(await find());
      }
    },
    closed: () => changes.dispose(),
  });
  const refresh = (): void => {
    if (page.listens) page.guarded(send);
  };
  const changes = folders.onChanged(refresh);
  pages.add(id, { panel, refresh });
}
