/** The timeline of a run beside the editor: asks the language server for samples and hands them to the page. */
import * as vscode from "vscode";
import { MAX_POINTS, type Place, readPageState, readToEditor, type ToPage } from "../../protocol/timeline.ts";
import { t } from "../../words/t.ts";
import type { Ask } from "../link/ask.ts";
import { openPanel, preparePage } from "../page/pageParts.ts";
import { messageOf } from "../report/asUserError.ts";
import type { Report } from "../report/report.ts";
import type { RunsFolders } from "../runs/runsFolders.ts";
import { timelineHtml } from "./timelineHtml.ts";
import { timelineMessage } from "./timelineMessage.ts";

export interface TimelineParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly ask: Ask;
  readonly report: Report;
}

const VIEW_TYPE = "jetsonMemprof.timeline";
/** How often a run that goes on is read again while its page is in view. */
const REFRESH_MS = 1_000;
/** The same for a run that could not be read, such as one that only begins. */
const RETRY_MS = 5_000;

const panels = new Map<string, vscode.WebviewPanel>();

/** Opens the timeline of a run folder, or brings the one that is open to the front. */
export function openTimeline(parts: TimelineParts, folder: string): void {
  const open = panels.get(folder);
  if (open) {
    open.reveal();
    return;
  }
  const panel = openPanel(VIEW_TYPE, t("Memory Timeline"), vscode.ViewColumn.Beside);
  fill(parts, panel, folder);
}

/** Brings back the timelines that were open when VS Code was closed. */
export function registerTimelineSerializer(
  parts: TimelineParts & { readonly folders: RunsFolders },
): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
    async deserializeWebviewPanel(panel, saved: unknown) {
      const state = readPageState(saved);
      // The state comes from a page: nothing but a run folder that the Memory Runs view lists is taken from it.
      if (state && parts.folders.holds(state.folder)) fill(parts, panel, state.folder);
      else panel.dispose();
    },
  });
}

async function messageFor(ask: Ask, folder: string): Promise<ToPage> {
  try {
    return timelineMessage(await ask("jetsonMemprof/timeline", { folder, maxPoints: MAX_POINTS }));
  } catch (error) {
    return { kind: "unavailable", message: messageOf(error) };
  }
}

function fill({ context, ask, report }: TimelineParts, panel: vscode.WebviewPanel, folder: string): void {
  const { webview } = panel;
  let pageReady = false;
  let finished = false;
  let asking = false;
  let timer: NodeJS.Timeout | undefined;

  const refresh = async (): Promise<void> => {
    if (!pageReady || asking) return;
    asking = true;
    clearTimeout(timer);
    const message = await messageFor(ask, folder);
    asking = false;
    if (panels.get(folder) !== panel) return;
    if (message.kind === "timeline") {
      finished = message.finished;
      panel.title = t("Memory: {0}", message.title);
    }
    await webview.postMessage(message);
    // Closed meanwhile: a panel that is closed cannot be asked anything.
    if (panels.get(folder) !== panel) return;
    const delay = message.kind === "timeline" ? REFRESH_MS : RETRY_MS;
    if (!finished && panel.visible) timer = setTimeout(refreshGuarded, delay);
  };
  const refreshGuarded = (): void => void report.guard(t("Showing the timeline"), refresh);

  panels.set(folder, panel);
  webview.onDidReceiveMessage((received: unknown) => {
    const message = readToEditor(received);
    if (message?.kind === "ready") {
      pageReady = true;
      refreshGuarded();
    }
    if (message?.kind === "goTo") {
      const { place } = message;
      void report.guard(t("Going to the line"), () => goTo(panel, folder, place));
    }
  });
  panel.onDidChangeViewState(() => {
    // A hidden page is thrown away by VS Code and says "ready" again when it is back.
    if (!panel.visible) {
      pageReady = false;
      clearTimeout(timer);
    }
  });
  panel.onDidDispose(() => {
    clearTimeout(timer);
    if (panels.get(folder) === panel) panels.delete(folder);
  });
  webview.html = timelineHtml({ ...preparePage(webview, context.extensionUri, "timeline"), folder });
}

async function goTo(panel: vscode.WebviewPanel, folder: string, place: Place): Promise<void> {
  // The line opens beside the timeline, not over it.
  if (panel.active && panel.viewColumn !== vscode.ViewColumn.One)
    await vscode.commands.executeCommand("workbench.action.focusFirstEditorGroup");
  await vscode.commands.executeCommand("jetsonMemprof.openLine", { folder, ...place });
}
