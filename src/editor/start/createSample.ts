/** "Create Sample Project…": from the click to the open script, in the window that VS Code may open anew for it. */
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { t } from "../../words/t.ts";
import { runCommand } from "../ourCommands.ts";
import type { Services } from "../services.ts";
import { SAMPLE_KEY } from "./registerStart.ts";
import { SAMPLE_NAME, SAMPLE_SCRIPT, writeSample } from "./sampleProject.ts";

const WALKTHROUGH = "jetson-memory-profiler.jetson-memory-profiler#jetsonMemprof.start";

export async function createSample(services: Services): Promise<void> {
  const [parent] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      canSelectMany: false,
      defaultUri: vscode.Uri.file(os.homedir()),
      openLabel: t("Create Here"),
      title: t("Where should the folder {0} be made?", SAMPLE_NAME),
    })) ?? [];
  if (parent === undefined) return;
  const from = services.context.asAbsolutePath(path.join("examples", "sample"));
  const folder = await writeSample(from, parent.fsPath);
  if (vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)) !== undefined) return showSample(services, folder);
  if (vscode.workspace.workspaceFolders === undefined) return openSample(services, folder, { forceReuseWindow: true });
  services.report.tell("information", t("The sample project is in {0}.", folder), {
    [t("Open in New Window")]: () => openSample(services, folder, { forceNewWindow: true }),
    [t("Open Here")]: () => openSample(services, folder, { forceReuseWindow: true }),
    [t("Add to This Workspace")]: () => addSample(services, folder),
  });
}

/** The window that opens the folder shows the sample. */
async function openSample(
  { context }: Services,
  folder: string,
  how: { readonly forceReuseWindow: true } | { readonly forceNewWindow: true },
): Promise<void> {
  await context.globalState.update(SAMPLE_KEY, folder);
  await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(folder), how);
}

/** A window with one folder starts anew when it gets a second one. */
async function addSample({ context }: Services, folder: string): Promise<void> {
  await context.globalState.update(SAMPLE_KEY, folder);
  const end = vscode.workspace.workspaceFolders?.length ?? 0;
  vscode.workspace.updateWorkspaceFolders(end, 0, { uri: vscode.Uri.file(folder) });
}

/** Opens the script and offers what comes next. */
export async function showSample({ context, report }: Services, folder: string): Promise<void> {
  await context.globalState.update(SAMPLE_KEY, undefined);
  const script = vscode.Uri.file(path.join(folder, SAMPLE_SCRIPT));
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(script), { preview: false });
  report.tell("information", t("This is the sample. Profile it: what each line should take stands in its comments."), {
    [t("Profile It")]: () => runCommand("jetsonMemprof.profile", script),
    [t("Back to the Walkthrough")]: () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH),
  });
}
