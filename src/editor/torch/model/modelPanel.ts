/** The page of a run's model account, one for each run. */
import * as vscode from "vscode";
import {
  type ModelPageToEditor,
  readModelPageState,
  readModelPageToEditor,
  type ToModelPage,
} from "../../../protocol/torch/model.ts";
import { t } from "../../../words/t.ts";
import { type OpenBesideParts, openBeside } from "../../page/openBeside.ts";
import { openPanel, preparePage } from "../../page/pageParts.ts";
import { messageOf } from "../../report/asUserError.ts";
import { plainText } from "../../report/plainText.ts";
import { type CheckParts, checkWithTrial } from "./checkRun.ts";
import { modelHtml } from "./modelHtml.ts";

export interface ModelParts extends OpenBesideParts, CheckParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
}

const VIEW_TYPE = "jetsonMemprof.model";
const SAID_MS = 5_000;
/** By run folder. */
const panels = new Map<string, vscode.WebviewPanel>();

/** Opens the page of a run, or brings the one that is open to the front. */
export function openModel(parts: ModelParts, folder: string): void {
  const open = panels.get(folder);
  if (open !== undefined) {
    open.reveal();
    return;
  }
  fill(parts, openPanel(VIEW_TYPE, t("Model Account"), vscode.ViewColumn.Active), folder);
}

/** Brings a run's page back after VS Code was closed; closes it where its run is not of this workspace. */
export function restoreModel(parts: ModelParts, panel: vscode.WebviewPanel, saved: unknown): void {
  const state = readModelPageState(saved);
  // The state comes from a page: nothing but a run folder that the Memory Runs view lists is taken from it.
  if (state !== undefined && parts.folders.holds(state.folder)) fill(parts, panel, state.folder);
  else panel.dispose();
}

function fill(parts: ModelParts, panel: vscode.WebviewPanel, folder: string): void {
  const { ask, context, folders, report } = parts;
  const { webview } = panel;

  const load = async (): Promise<ToModelPage> => {
    try {
      const document = await ask("jetsonMemprof/modelAccount", { folder, runsFolders: folders.all() });
      panel.title = plainText(t("Model: {0}", document.title), 100);
      return { kind: "model", document };
    } catch (error) {
      return { kind: "unavailable", message: messageOf(error) };
    }
  };
  const send = async (): Promise<void> => {
    await webview.postMessage(await load());
  };
  const received = async (message: ModelPageToEditor | undefined): Promise<void> => {
    switch (message?.kind) {
      case "ready":
        return send();
      case "goTo":
        return openBeside(parts, panel, { folder, ...message.place });
      case "copy":
        await vscode.env.clipboard.writeText(message.text);
        vscode.window.setStatusBarMessage(`$(check) ${t("Copied to the clipboard.")}`, SAID_MS);
        return;
      case "check":
        return checkWithTrial(parts, folder, message.trial);
      default:
        return;
    }
  };
  const guarded = (work: () => Promise<void>): void => void report.guard(t("Showing the model account"), work);
  panels.set(folder, panel);
  webview.onDidReceiveMessage((raw: unknown) => guarded(() => received(readModelPageToEditor(raw))));
  // Another run may have measured what is only estimated here. A hidden page asks by itself when it is back.
  const changes = folders.onChanged(() => {
    if (panel.visible) guarded(send);
  });
  panel.onDidDispose(() => {
    changes.dispose();
    if (panels.get(folder) === panel) panels.delete(folder);
  });
  webview.html = modelHtml({ ...preparePage(webview, context.extensionUri, "model"), folder });
}
