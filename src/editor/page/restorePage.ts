import * as vscode from "vscode";
import type { RestoredPage } from "../contributions/pages.ts";

/**
 * Brings back the pages of a kind that were open when VS Code was closed.
 *
 * @param restore what `saved` says comes from a page: nothing is taken from it but what we list ourselves
 */
export function restorePages(
  page: RestoredPage,
  restore: (panel: vscode.WebviewPanel, saved: unknown) => Promise<void>,
): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(`jetsonMemprof.${page}`, { deserializeWebviewPanel: restore });
}
