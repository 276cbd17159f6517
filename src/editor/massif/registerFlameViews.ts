/** Makes the massif page known to VS Code: as the editor of massif.out files, and as the tabs of runs. */
import * as vscode from "vscode";
import type { FlameViewParts } from "./flameView.ts";

export function registerFlameViews(parts: FlameViewParts): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.window.registerCustomEditorProvider("jetsonMemprof.massif", {
      openCustomDocument: (uri: vscode.Uri): vscode.CustomDocument => ({ uri, dispose: () => {} }),
      async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel) {
        (await import("./flameView.ts")).showMassifFile(parts, panel, uri);
      },
    }),
    vscode.window.registerWebviewPanelSerializer("jetsonMemprof.massifRun", {
      async deserializeWebviewPanel(panel, saved: unknown) {
        (await import("./flameView.ts")).restoreRunFlameView(parts, panel, saved);
      },
    }),
  );
}
