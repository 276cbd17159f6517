/** The timeline of a run beside the editor: asks the language server for samples and hands them to the page. */
import * as vscode from "vscode";
import type { TimeRange } from "../../profile/samples/samples.ts";
import {
  MAX_POINTS,
  type Place,
  readPageState,
  readToEditor,
  type ToEditor,
  type ToPage,
} from "../../protocol/timeline.ts";
import { t } from "../../words/t.ts";
import type { Ask } from "../link/ask.ts";
import { runCommand } from "../ourCommands.ts";
import { hostPage, openPages, type PageHostParts } from "../page/pageHost.ts";
import { openPanel } from "../page/pageParts.ts";
import { restorePages } from "../page/restorePage.ts";
import { messageOf } from "../report/asUserError.ts";
import type { RunsFolders } from "../runs/runsFolders.ts";
import { timelineHtml } from "./timelineHtml.ts";
import { timelineMessage } from "./timelineMessage.ts";

export interface TimelineParts extends PageHostParts {
  readonly ask: Ask;
}

/** How often a run that goes on is read again while its page is in view. */
const REFRESH_MS = 1_000;
/** The same for a run that could not be read, such as one that only begins. */
const RETRY_MS = 5_000;

const pages = openPages();

/** Opens the timeline of a run folder, or brings the one that is open to the front. */
export function openTimeline(parts: TimelineParts, folder: string): void {
  if (pages.reveal(folder) !== undefined) return;
  fill(parts, openPanel("timeline", t("Memory Timeline"), vscode.ViewColumn.Beside), folder);
}

/** Brings back the timelines that were open when VS Code was closed. */
export function registerTimelineSerializer(
  parts: TimelineParts & { readonly folders: RunsFolders },
): vscode.Disposable {
  return restorePages("timeline", async (panel, saved) => {
    const state = readPageState(saved);
    // The state comes from a page: nothing but a run folder that the Memory Runs view lists is taken from it.
    if (state && parts.folders.holds(state.folder)) fill(parts, panel, state.folder);
    else panel.dispose();
  });
}

async function messageFor(ask: Ask, folder: string, closer: TimeRange | undefined): Promise<ToPage> {
  try {
    const part = closer === undefined ? {} : { closer };
    return timelineMessage(await ask("jetsonMemprof/timeline", { folder, maxPoints: MAX_POINTS, ...part }));
  } catch (error) {
    return { kind: "unavailable", message: messageOf(error) };
  }
}

function fill(parts: TimelineParts, panel: vscode.WebviewPanel, folder: string): void {
  let asking: { readonly closer: TimeRange | undefined } | undefined;
  /** What the page looks at. */
  let closer: TimeRange | undefined;
  let timer: NodeJS.Timeout | undefined;

  const refresh = async (): Promise<void> => {
    if (!page.listens || asking !== undefined) return;
    asking = { closer };
    clearTimeout(timer);
    const message = await messageFor(parts.ask, folder, closer);
    const zoomed = asking.closer !== closer;
    asking = undefined;
    // Hidden or closed meanwhile.
    if (!page.listens) return;
    if (zoomed) return refresh();
    if (message.kind === "timeline") page.setTitle(t("Timeline: {0}", message.title));
    await page.post(message);
    const goesOn = message.kind !== "timeline" || !message.finished;
    if (page.listens && goesOn) timer = setTimeout(again, message.kind === "timeline" ? REFRESH_MS : RETRY_MS);
  };
  const again = (): void => page.guarded(refresh);
  const page = hostPage<ToPage, ToEditor>(parts, panel, {
    name: "timeline",
    doing: t("Showing the timeline"),
    html: (bundle) => timelineHtml({ ...bundle, folder }),
    read: readToEditor,
    async received(message): Promise<void> {
      switch (message.kind) {
        case "ready":
          return refresh();
        case "goTo":
          return goTo(panel, folder, message.place);
        case "zoom":
          closer = message.range;
          return refresh();
      }
    },
    left: () => clearTimeout(timer),
  });
  pages.add(folder, page);
}

async function goTo(panel: vscode.WebviewPanel, folder: string, place: Place): Promise<void> {
  // The line opens beside the timeline, not over it.
  if (panel.active && panel.viewColumn !== vscode.ViewColumn.One)
    await vscode.commands.executeCommand("workbench.action.focusFirstEditorGroup");
  await runCommand("jetsonMemprof.openLine", { folder, ...place });
}
