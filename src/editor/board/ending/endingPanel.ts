/** The page of a run's end, one for each run. What a step does is the editor's choice; the page only names its place. */
import * as vscode from "vscode";
import { UserError } from "../../../profile/userError.ts";
import {
  type EndingPageToEditor,
  type RunEnding,
  readEndingPageState,
  readEndingPageToEditor,
  type ToEndingPage,
} from "../../../protocol/board/ending.ts";
import { t } from "../../../words/t.ts";
import { runCommand } from "../../ourCommands.ts";
import { columnBeside } from "../../page/openBeside.ts";
import { openPlace } from "../../page/openPlace.ts";
import { hostPage, openPages } from "../../page/pageHost.ts";
import { openPanel } from "../../page/pageParts.ts";
import { messageOf } from "../../report/asUserError.ts";
import type { RunsFolders } from "../../runs/runsFolders.ts";
import type { ShownRun } from "../../runs/shownRun.ts";
import { type AdviceParts, takeStep } from "./adviceStep.ts";
import { endingHtml } from "./endingHtml.ts";

export interface EndingParts extends AdviceParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly folders: RunsFolders;
  readonly shown: ShownRun;
}

/** By run folder. */
const pages = openPages();

/** Opens the page of a run, or brings the one that is open to the front. */
export function openEnding(parts: EndingParts, folder: string): void {
  if (pages.reveal(folder) !== undefined) return;
  fill(parts, openPanel("ending", t("Why It Ended"), vscode.ViewColumn.Active), folder);
}

/** Brings a run's page back after VS Code was closed; closes it where its run is not of this workspace. */
export function restoreEnding(parts: EndingParts, panel: vscode.WebviewPanel, saved: unknown): void {
  const state = readEndingPageState(saved);
  // The state comes from a page: nothing but a run folder that the Memory Runs view lists is taken from it.
  if (state !== undefined && parts.folders.holds(state.folder)) fill(parts, panel, state.folder);
  else panel.dispose();
}

function fill(parts: EndingParts, panel: vscode.WebviewPanel, folder: string): void {
  const { ask, shown } = parts;
  /** What the page was sent: the positions that it names are of these lists. */
  let sent: RunEnding | undefined;

  const load = async (): Promise<ToEndingPage> => {
    try {
      sent = await ask("jetsonMemprof/ending", { folder });
      const { report, title } = sent;
      page.setTitle(report === null ? t("Advice: {0}", title) : t("Why It Ended: {0}", title));
      return { kind: "ending", ending: sent };
    } catch (error) {
      return { kind: "unavailable", message: messageOf(error) };
    }
  };
  const page = hostPage<ToEndingPage, EndingPageToEditor>(parts, panel, {
    name: "ending",
    doing: t("Showing why the run ended"),
    html: (bundle) => endingHtml({ ...bundle, folder }),
    read: readEndingPageToEditor,
    async received(message): Promise<void> {
      switch (message.kind) {
        case "ready":
          return page.post(await load());
        case "goTo":
          // The line opens beside the page, not over it.
          await openPlace(ask, { folder, ...message.place }, { viewColumn: columnBeside(panel) });
          if (shown.current?.folder !== folder) await shown.show(folder);
          return;
        case "step": {
          const advice = sent?.advice[message.advice];
          const step = advice?.steps[message.step];
          if (sent !== undefined && advice !== undefined && step !== undefined)
            await takeStep(parts, folder, sent, advice, step);
          return;
        }
        case "openSource":
          return openSource(sent?.advice[message.advice]?.source.url);
        case "openMemory":
          await runCommand("jetsonMemprof.showBoardMemory", folder);
      }
    },
  });
  pages.add(folder, page);
}

/** A source is a page of the web; anything else is not opened. */
async function openSource(url: string | undefined): Promise<void> {
  if (url === undefined) return;
  if (!url.startsWith("https://") || !URL.canParse(url)) {
    throw new UserError("bad-source", t("The source {0} is not a secure web page (https), so it is not opened.", url));
  }
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
}

/** A step that is taken from outside the page: a quick fix of the line. */
export async function takeAdvice(parts: EndingParts, argument: unknown): Promise<void> {
  const { folder, rule, step } = (argument ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof folder !== "string" || typeof rule !== "string" || typeof step !== "number") return;
  if (!parts.folders.holds(folder)) {
    throw new UserError("not-ours", t("{0} is not a run of this workspace.", folder), t("Open its project's folder."));
  }
  const ending = await parts.ask("jetsonMemprof/ending", { folder });
  const advice = ending.advice.find((entry) => entry.rule === rule);
  const wanted = advice?.steps[step];
  if (advice === undefined || wanted === undefined) {
    throw new UserError("no-advice", t("This advice no longer applies to the run."), t("Open the run's page again."));
  }
  await takeStep(parts, folder, ending, advice, wanted);
}
