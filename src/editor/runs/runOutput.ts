/** What a run folder kept of the script's output, opened in the editor. */
import * as vscode from "vscode";
import { t } from "../../words/t.ts";
import type { Report } from "../report/report.ts";

export async function openOutput(folder: string, script: string, report: Report): Promise<void> {
  const logs = ["stdout.log", "stderr.log"].map((name) => vscode.Uri.joinPath(vscode.Uri.file(folder), name));
  let opened = false;
  for (const log of logs) {
    if ((await sizeOf(log)) === 0) continue;
    // Not as a document: VS Code gives extensions none above 50 MB.
    await vscode.commands.executeCommand("vscode.open", log, { preview: false });
    opened = true;
  }
  if (!opened) report.tell("information", t("{0} has printed nothing.", script));
}

async function sizeOf(file: vscode.Uri): Promise<number> {
  return vscode.workspace.fs.stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
