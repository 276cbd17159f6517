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
import { copyText, hostPage, openPages } from "../../page/pageHost.ts";
import { openPanel } from "../../page/pageParts.ts";
import { messageOf } from "../../report/asUserError.ts";
import { type CheckParts, checkWithTrial } from "./checkRun.ts";
import { modelHtml } from "./modelHtml.ts";

export interface ModelParts extends OpenBesideParts, CheckParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
}

/** By run folder. */
const pages = openPages();

/** Opens the page of a run, or brings the one that is open to the front. */
export function openModel(parts: ModelParts, folder: string): void {
  if (pages.reveal(folder) !== undefined) return;
  fill(parts, openPanel("model", t("Model Account"), vscode.ViewColumn.Active), folder);
}

/** Brings a run's page back after VS Code was closed; closes it where its run is not of this workspace. */
export function restoreModel(parts: ModelParts, panel: vscode.WebviewPanel, saved: unknown): void {
  const state = readModelPageState(saved);
  // The state comes from a page: nothing but a run folder that the Memory Runs view lists is taken from it.
  if (state !== undefined && parts.folders.holds(state.folder)) fill(parts, panel, state.folder);
  else panel.dispose();
}

function fill(parts: ModelParts, panel: vscode.WebviewPanel, folder: string): void {
  const { ask, folders } = parts;

  const load = async (): Promise<ToModelPage> => {
    try {
      const document = await ask("jetsonMemprof/modelAccount", { folder, runsFolders: folders.all() });
      page.setTitle(t("Model: {0}", document.title));
      return { kind: "model", document };
    } catch (error) {
      return { kind: "unavailable", message: messageOf(error) };
    }
  };
  const send = async (): Promise<void> => page.post(await load());
  const page = hostPage<ToModelPage, ModelPageToEditor>(parts, panel, {
    name: "model",
    doing: t("Showing the model account"),
    html: (bundle) => modelHtml({ ...bundle, folder }),
    read: readModelPageToEditor,
    async received(message): Promise<void> {
      switch (message.kind) {
        case "ready":
          return send();
        case "goTo":
          return openBeside(parts, panel, { folder, ...message.place });
        case "copy":
          return copyText(message.text);
        case "check":
          return checkWithTrial(parts, folder, message.trial);
      }
    },
    closed: () => changes.dispose(),
  });
  // Another run may have measured what is only estimated here.
  const changes = folders.onChanged(() => {
    if (page.listens) page.guarded(send);
  });
  pages.add(folder, page);
}
