/** Goes to a line of a measured file: the project's file, or where that is gone, the copy kept with the run. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { projectOfRun } from "../profile/runsFolder.ts";
import { UserError } from "../profile/userError.ts";

export interface MeasuredPlace {
  /** The run's folder at home. */
  readonly folder: string;
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
}

/** @throws UserError `source-missing` */
export async function openPlace(place: MeasuredPlace): Promise<void> {
  const project = projectOfRun(place.folder);
  const candidates = [
    ...(project === undefined ? [] : [within(project, place.path)]),
    within(path.join(place.folder, "sources"), place.path),
  ];
  for (const file of candidates) {
    if (file === undefined || !(await isFile(file))) continue;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    const line = Math.min(Math.max(place.line, 1), document.lineCount) - 1;
    const at = document.lineAt(line).firstNonWhitespaceCharacterIndex;
    const editor = await vscode.window.showTextDocument(document, { selection: new vscode.Range(line, at, line, at) });
    editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return;
  }
  throw new UserError(
    "source-missing",
    `${place.path} is neither in the project any more nor kept with the run in ${place.folder}.`,
    "Restore the file, or profile the script again.",
  );
}

/** Undefined where the path would lead out of the folder. */
function within(folder: string, relative: string): string | undefined {
  const file = path.resolve(folder, relative);
  return file.startsWith(path.resolve(folder) + path.sep) ? file : undefined;
}

async function isFile(file: string): Promise<boolean> {
  return (await fs.stat(file).catch(() => undefined))?.isFile() ?? false;
}
