/** Which script is meant, which project it belongs to, and that what is on disk is what the user sees. */
import * as path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import type { Report } from "../report.ts";

export interface ChosenScript {
  /** Absolute. */
  readonly projectFolder: string;
  /** Relative to the project folder, with `/`. */
  readonly script: string;
}

const MOST_OFFERED = 500;

/** Undefined when the user declined. @throws UserError `no-script`, `untitled`, `not-on-disk`, `not-saved` */
export async function chooseScript(
  resource: vscode.Uri | undefined,
  report: Report,
): Promise<ChosenScript | undefined> {
  const uri = resource ?? activeScript() ?? (await offerScripts());
  if (uri === undefined) return undefined;
  if (uri.scheme !== "file") throw notOnDisk(uri);
  const projectFolder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? path.dirname(uri.fsPath);
  await saveScript(uri);
  warnOfUnsaved(projectFolder, report);
  return { projectFolder, script: path.relative(projectFolder, uri.fsPath).split(path.sep).join("/") };
}

function activeScript(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === "python" ? document.uri : undefined;
}

async function offerScripts(): Promise<vscode.Uri | undefined> {
  if (vscode.workspace.workspaceFolders === undefined) {
    throw new UserError(
      "no-script",
      "No folder is open, and no Python script is in the active editor.",
      "Open your training script or its folder, then choose Profile on Jetson again.",
    );
  }
  const found = await vscode.workspace.findFiles(
    "**/*.py",
    "**/{node_modules,.venv,venv,.jetson-memprof}/**",
    MOST_OFFERED,
  );
  if (found.length === 0) {
    throw new UserError(
      "no-script",
      "There is no Python script in the open folder.",
      "Open the folder with your training script, then choose Profile on Jetson again.",
    );
  }
  const items = found
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .sort((a, b) => a.label.localeCompare(b.label));
  const chosen = await vscode.window.showQuickPick(items, { title: "Which script should be profiled?" });
  return chosen?.uri;
}

async function saveScript(uri: vscode.Uri): Promise<void> {
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
  if (document?.isDirty && !(await document.save())) {
    throw new UserError("not-saved", `${uri.fsPath} could not be saved.`, "Save it, then profile it again.");
  }
}

function warnOfUnsaved(projectFolder: string, report: Report): void {
  const unsaved = vscode.workspace.textDocuments
    .filter((document) => document.isDirty && document.uri.scheme === "file")
    .map((document) => path.relative(projectFolder, document.uri.fsPath))
    .filter((relative) => !relative.startsWith("..") && !path.isAbsolute(relative));
  if (unsaved.length > 0) {
    const files = unsaved.join(", ");
    report.tell("warning", `Unsaved changes are not part of the run, which uses the files as saved: ${files}.`);
  }
}

function notOnDisk(uri: vscode.Uri): UserError {
  return uri.scheme === "untitled"
    ? new UserError("untitled", "The script has not been saved yet.", "Save it in a folder, then profile it again.")
    : new UserError(
        "not-on-disk",
        `The script is not on this computer's disk (it is opened through ${uri.scheme}).`,
        "Install the extension where the files are: the Extensions view offers it there.",
      );
}
