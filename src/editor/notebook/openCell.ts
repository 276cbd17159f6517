/** Goes to a line of a notebook's cell: the cell as it is now, wherever it is in the notebook. */

import * as vscode from "vscode";
import { lineNow, type MeasuredPlace } from "../lines/lineNow.ts";
import type { Ask } from "../link/ask.ts";

/** False where the notebook has no such cell any more. */
export async function openCell(
  ask: Ask,
  place: MeasuredPlace,
  notebookUri: vscode.Uri,
  how: Pick<vscode.TextDocumentShowOptions, "viewColumn" | "preserveFocus">,
): Promise<boolean> {
  const notebook = await vscode.workspace.openNotebookDocument(notebookUri);
  const code = notebook.getCells().filter(({ kind }) => kind === vscode.NotebookCellKind.Code);
  const cells = code.map(({ document, metadata }) => {
    // Where the built-in notebooks keep the id of a cell in the file.
    const id: unknown = metadata["id"];
    const known = typeof id === "string" && id !== "" ? { id } : {};
    return { uri: document.uri.toString(), text: document.getText(), ...known };
  });
  const uri = await ask("jetsonMemprof/cellNow", { folder: place.folder, path: place.path, cells });
  const cell = code.find(({ document }) => document.uri.toString() === uri);
  if (cell === undefined) return false;
  const range = new vscode.NotebookRange(cell.index, cell.index + 1);
  const editor = await vscode.window.showNotebookDocument(notebook, { ...how, selections: [range] });
  editor.revealRange(range, vscode.NotebookEditorRevealType.InCenterIfOutsideViewport);
  const line = Math.min(Math.max(await lineNow(ask, place, cell.document), 1), cell.document.lineCount) - 1;
  const at = cell.document.lineAt(line).firstNonWhitespaceCharacterIndex;
  // The cell's own editor comes with the cell into sight; where it is not there yet, the cell is selected all the same.
  const text = vscode.window.visibleTextEditors.find(({ document }) => document === cell.document);
  if (text !== undefined) {
    text.selection = new vscode.Selection(line, at, line, at);
    text.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
  return true;
}
