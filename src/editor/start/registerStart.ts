/** What the first minute needs when a window opens: the sample project that was just made is shown. */
import * as vscode from "vscode";
import { t } from "../../words/t.ts";
import type { Services } from "../services.ts";

/** The folder of a sample that waits for its window. */
export const SAMPLE_KEY = "jetsonMemprof.sampleToShow";

export function registerStart(services: Services): vscode.Disposable {
  const { context, report } = services;
  let isShowing = false;
  const show = (): void => {
    const folder = context.globalState.get<unknown>(SAMPLE_KEY);
    if (typeof folder !== "string") return;
    const isOpen = vscode.workspace.workspaceFolders?.some(({ uri }) => uri.fsPath === folder);
    if (isOpen !== true || isShowing) return;
    isShowing = true;
    void report
      .guard(t("Showing the sample"), async () => (await import("./firstSteps.ts")).showSample(services, folder))
      .finally(() => {
        isShowing = false;
      });
  };
  show();
  return vscode.workspace.onDidChangeWorkspaceFolders(show);
}
