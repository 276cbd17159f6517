/**
 * Goes to a line of a measured file: the project's file, at the place where that line is now, or where the file is
 * gone, the copy kept with the run.
 */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { projectOfRun } from "../profile/runsFolder.ts";
import { UserError } from "../profile/userError.ts";
import type { Ask } from "./ask.ts";

export interface MeasuredPlace {
  /** The run's folder at home. */
  readonly folder: string;
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
}

const GONE_MESSAGE_MS = 8_000;

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
  const inProject = project === undefined ? undefined : within(project, place.path);
  for (const file of [inProject, within(path.join(place.folder, "sources"), place.path)]) {
    if (file === undefined || !(await isFile(file))) continue;
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
    `${place.path} is neither in the project any more nor kept with the run in ${place.folder}.`,
    "Restore the file, or profile the script again.",
  );
}

async function lineNow(ask: Ask, place: MeasuredPlace, document: vscode.TextDocument): Promise<number> {
  const found = await ask("jetsonMemprof/lineNow", { ...place, uri: document.uri.toString() });
  if (found?.gone) {
    const text = `Line ${place.line} of ${place.path} was deleted since the run; this is where it was.`;
    vscode.window.setStatusBarMessage(`$(info) ${text.replaceAll("$(", "$ (")}`, GONE_MESSAGE_MS);
  }
  return found?.line ?? place.line;
}

/** Undefined where the path would lead out of the folder. */
function within(folder: string, relative: string): string | undefined {
  const file = path.resolve(folder, relative);
  return file.startsWith(path.resolve(folder) + path.sep) ? file : undefined;
}

async function isFile(file: string): Promise<boolean> {
  return (await fs.stat(file).catch(() => undefined))?.isFile() ?? false;
}
