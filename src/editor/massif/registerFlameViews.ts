/** Makes the massif page known to VS Code: as the editor of massif.out files, and as the tabs of runs. */
import * as vscode from "vscode";
import { PAGE_OPTIONS } from "../page/pageParts.ts";
import { restorePages } from "../page/restorePage.ts";
import type { FlameViewParts } from "./flameView.ts";

export function registerFlameViews(parts: FlameViewParts): vscode.Disposable {
  const massifFiles: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => {} }),
    async resolveCustomEditor({ uri }, panel) {
      (await import("./flameView.ts")).showMassifFile(parts, panel, uri);
    },
  };
  return vscode.Disposable.from(
    vscode.window.registerCustomEditorProvider("jetsonMemprof.massif", massifFiles, {
      // Two views of one file side by side are of use, and nothing is edited.
      supportsMultipleEditorsPerDocument: true,
      webviewOptions: PAGE_OPTIONS,
    }),
    restorePages("massifRun", async (panel, saved) => {
      (await import("./flameView.ts")).restoreRunFlameView(parts, panel, saved);
    }),
  );
}
