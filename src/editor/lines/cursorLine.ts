import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";

export interface DocumentLine {
  readonly document: vscode.TextDocument;
  /** 1-based. */
  readonly line: number;
}

/**
 * The line of a Python file, or of a notebook's cell where that is allowed, that the cursor is in.
 * @throws UserError `no-python-line`
 */
export function cursorLine(...schemes: readonly ("file" | "vscode-notebook-cell")[]): DocumentLine {
  const editor = vscode.window.activeTextEditor;
  const isAllowed = schemes.some((scheme) => scheme === editor?.document.uri.scheme);
  if (editor?.document.languageId !== "python" || !isAllowed) {
    throw new UserError(
      "no-python-line",
      t("No line of a Python file is selected."),
      t("Put the cursor on a line of your script, then choose this again."),
    );
  }
  return { document: editor.document, line: editor.selection.active.line + 1 };
}
