/** Makes the snapshot page known to VS Code: as the editor of snapshot files, and as what opens a run's snapshots. */
import * as path from "node:path";
import * as vscode from "vscode";
import { t } from "../../../words/t.ts";
import { PAGE_OPTIONS } from "../../page/pageParts.ts";
import { type Choice, chooseRun, type RunArgument } from "../../runs/runCommands.ts";
import type { Services } from "../../services.ts";
import { pickSnapshotFile } from "./pickSnapshot.ts";
import type { SnapshotViewParts } from "./snapshotView.ts";

const VIEW_TYPE = "jetsonMemprof.snapshot";

export function registerSnapshots(parts: SnapshotViewParts): vscode.Disposable {
  const files: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => {} }),
    async resolveCustomEditor({ uri }, panel) {
      (await import("./snapshotView.ts")).showSnapshot(parts, panel, uri);
    },
  };
  // Two moments of one file side by side are of use, and nothing is edited.
  const options = { supportsMultipleEditorsPerDocument: true, webviewOptions: PAGE_OPTIONS };
  return vscode.Disposable.from(
    vscode.window.registerCustomEditorProvider(VIEW_TYPE, files, options),
    // The same for any pickle, where the user asks for it: most pickles are something else.
    vscode.window.registerCustomEditorProvider("jetsonMemprof.anyPickle", files, options),
  );
}

/** @param resource a file of the Explorer; without one the user picks it */
export async function openSnapshot(resource: vscode.Uri | undefined): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const words = { title: t("Open a PyTorch Allocator Snapshot"), openLabel: t("Open Snapshot") };
  const file = resource ?? (await pickSnapshotFile(words, folder?.uri));
  if (file !== undefined) await vscode.commands.executeCommand("vscode.openWith", file, VIEW_TYPE);
}

const WITH_SNAPSHOT: Choice = {
  fits: ({ snapshots }) => snapshots.length > 0,
  get otherwise() {
    return t(
      "Choose allocator snapshots in Profile on Jetson with Options…, for a script that uses CUDA. " +
        "To open a snapshot file, run Open Allocator Snapshot….",
    );
  },
};

/** Opens a run's snapshot; of several the user chooses. */
export async function openRunSnapshot(services: Services, argument: RunArgument): Promise<void> {
  const run = await chooseRun(services, argument, t("Which run's allocator snapshot?"), WITH_SNAPSHOT);
  if (run === undefined) return;
  const name =
    run.snapshots.length < 2
      ? run.snapshots[0]
      : await vscode.window.showQuickPick(run.snapshots, { title: t("Which allocator snapshot?") });
  if (name !== undefined) await openSnapshot(vscode.Uri.file(path.join(run.folder, name)));
}
