/**
 * Goes to a line of a measured file: the project's file, at the place where that line is now, or where the file is
 * gone, the copy kept with the run.
 */
import * as path from "node:path";
import * as vscode from "vscode";
import { isKind } from "../../profile/files/places.ts";
import { isBelow } from "../../profile/files/relativePath.ts";
import { cellOf } from "../../profile/notebook.ts";
import { projectOfRun } from "../../profile/run/runsFolder.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { lineNow, type MeasuredPlace } from "../lines/lineNow.ts";
import type { Ask } from "../link/ask.ts";

export type { MeasuredPlace } from "../lines/lineNow.ts";

/**
 * @param how where the editor opens; in the active group, with the keyboard, unless it says otherwise
 * @throws UserError `source-missing`
 */
export async function openPlace(
  ask: Ask,
  place: MeasuredPlace,
  how: Pick<vscode.TextDocumentShowOptions, "viewColumn" | "preserveFocus"> = {},
): Promise<void> {
  const project = projectOfRun(place.folder);
  const cell = cellOf(place.path);
  const notebook = project && cell && within(project, cell.notebook);
  if (notebook !== undefined && (await isKind(notebook, "file"))) {
    const { openCell } = await import("../notebook/openCell.ts");
    if (await openCell(ask, place, vscode.Uri.file(notebook), how)) return;
  }
  const inProject = project === undefined ? undefined : within(project, place.path);
  for (const file of [inProject, within(path.join(place.folder, "sources"), place.path)]) {
    if (file === undefined || !(await isKind(file, "file"))) continue;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    const now = file === inProject ? await lineNow(ask, place, document) : place.line;
    const line = Math.min(Math.max(now, 1), document.lineCount) - 1;
    const at = document.lineAt(line).firstNonWhitespaceCharacterIndex;
    const editor = await vscode.window.showTextDocument(document, {
      ...how,
      selection: new vscode.Range(line, at, line, at),
    });
    editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return;
  }
  throw new UserError(
    "source-missing",
    t("{0} is no longer in the project, and was not kept with the run in {1}.", place.path, place.folder),
    t("Restore the file, or profile the script again."),
  );
}

/** Undefined where the path would lead out of the folder. */
function within(folder: string, relative: string): string | undefined {
  const file = path.resolve(folder, relative);
  return isBelow(path.resolve(folder), file) ? file : undefined;
}
