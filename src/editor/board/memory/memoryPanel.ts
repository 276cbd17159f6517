/** The memory page in a tab: fed by a run's folder or by a board that is watched. */
import * as vscode from "vscode";
import { readMemoryPageToEditor, type ToMemoryPage } from "../../../protocol/board/memory.ts";
import { t } from "../../../words/t.ts";
import { type OpenBesideParts, openBeside } from "../../page/openBeside.ts";
import { preparePage } from "../../page/pageParts.ts";
import { plainText } from "../../report/plainText.ts";
import type { Report } from "../../report/report.ts";
import type { Listening, MemoryFeed } from "./memoryFeed.ts";
import { memoryHtml } from "./memoryHtml.ts";

export interface MemoryPanelParts extends OpenBesideParts {
  readonly context: Pick<vscode.ExtensionContext, "extensionUri">;
  readonly report: Report;
}

export const MEMORY_VIEW_TYPE = "jetsonMemprof.memory";
const SAID_MS = 5_000;

/** @param folder the run folder, for going to lines and for bringing the page back; undefined for a watch */
export function fillMemoryPanel(
  parts: MemoryPanelParts,
  panel: vscode.WebviewPanel,
  feed: MemoryFeed,
  folder: string | undefined,
): void {
  const { context, report } = parts;
  const { webview } = panel;
  let listening: Listening | undefined;

  const stop = (): void => {
    listening?.dispose();
    listening = undefined;
  };
  const send = (message: ToMemoryPage): void => {
    if (message.kind === "start") panel.title = t("Memory: {0}", plainText(message.title, 100));
    void webview.postMessage(message);
  };
  const received = async (raw: unknown): Promise<void> => {
    const message = readMemoryPageToEditor(raw);
    switch (message?.kind) {
      case "ready":
        stop();
        listening = feed.listen(send);
        return;
      case "goTo":
        if (folder === undefined) return;
        return openBeside(parts, panel, { folder, ...message.place });
      case "copy":
        await vscode.env.clipboard.writeText(message.text);
        vscode.window.setStatusBarMessage(`$(check) ${t("Copied to the clipboard.")}`, SAID_MS);
        return;
      default:
        return;
    }
  };
  webview.onDidReceiveMessage(
    (raw: unknown) => void report.guard(t("Showing the board's memory"), () => received(raw)),
  );
  panel.onDidChangeViewState(() => {
    // A hidden page is thrown away by VS Code and says "ready" again when it is back.
    if (!panel.visible) stop();
  });
  panel.onDidDispose(stop);
  webview.html = memoryHtml({ ...preparePage(webview, context.extensionUri, "memory"), folder: folder ?? "" });
}
