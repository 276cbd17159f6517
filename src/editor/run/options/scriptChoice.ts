/** Which script is meant, which project it belongs to, and that what is on disk is what the user sees. */
import * as path from "node:path";
import * as vscode from "vscode";
import { relativePath } from "../../../profile/files/relativePath.ts";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";
import type { Report } from "../../report/report.ts";

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
  const uri = chosenUri(resource) ?? activeScript() ?? (await offerScripts());
  if (uri === undefined) return undefined;
  if (uri.scheme !== "file") throw notOnDisk(uri);
  const projectFolder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? path.dirname(uri.fsPath);
  await saveScript(uri);
  warnOfUnsaved(projectFolder, report);
  return { projectFolder, script: relativePath(projectFolder, uri.fsPath) ?? path.basename(uri.fsPath) };
}

/** A notebook's toolbar says what was chosen in a form of its own: then it is the active notebook. */
function chosenUri(resource: unknown): vscode.Uri | undefined {
  return resource instanceof vscode.Uri ? resource : undefined;
}

function activeScript(): vscode.Uri | undefined {
  const notebook = vscode.window.activeNotebookEditor?.notebook;
  if (notebook?.notebookType === "jupyter-notebook") return notebook.uri;
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === "python" ? document.uri : undefined;
}

async function offerScripts(): Promise<vscode.Uri | undefined> {
  if (vscode.workspace.workspaceFolders === undefined) {
    throw new UserError(
      "no-script",
      t("No folder is open, and no Python script is in the active editor."),
      t("Open your training script or its folder, or try the sample project. Then choose Profile on Jetson again."),
    );
  }
  const found = await vscode.workspace.findFiles(
    "**/*.{py,ipynb}",
    "**/{node_modules,.venv,venv,.jetson-memprof}/**",
    MOST_OFFERED,
  );
  if (found.length === 0) {
    throw new UserError(
      "no-script",
      t("There is no Python script in the open folder."),
      t("Open the folder with your training script, or try the sample project. Then choose Profile on Jetson again."),
    );
  }
  if (found.length === 1) return found[0];
  const items = found
    .map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))
    .sort((a, b) => a.label.localeCompare(b.label));
  const chosen = await vscode.window.showQuickPick(items, { title: t("Which script should be profiled?") });
  return chosen?.uri;
}

async function saveScript(uri: vscode.Uri): Promise<void> {
  const documents = [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments];
  const document = documents.find((open) => open.uri.toString() === uri.toString());
  if (document?.isDirty && !(await document.save())) {
    throw new UserError("not-saved", t("{0} could not be saved.", uri.fsPath), t("Save it, then profile it again."));
  }
}

function warnOfUnsaved(projectFolder: string, report: Report): void {
  const unsaved = vscode.workspace.textDocuments
    .filter((document) => document.isDirty && document.uri.scheme === "file")
    .map((document) => path.relative(projectFolder, document.uri.fsPath))
    .filter((relative) => !relative.startsWith("..") && !path.isAbsolute(relative));
  if (unsaved.length > 0) {
    const files = unsaved.join(t(", "));
    report.tell("warning", t("Unsaved changes are not part of the run, which uses the files as saved: {0}.", files));
  }
}

function notOnDisk(uri: vscode.Uri): UserError {
  return uri.scheme === "untitled"
    ? new UserError(
        "untitled",
        t("The script has not been saved yet."),
        t("Save it in a folder, then profile it again."),
      )
    : new UserError(
        "not-on-disk",
        t("The script is not on this computer's disk (it is opened through {0}).", uri.scheme),
        t("Install the extension where the files are: the Extensions view offers it there."),
      );
}
