/** The command that says the memory of the line the cursor is in: a notification, which screen readers read at once. */
import * as path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import type { Services } from "../services.ts";
import { askLineDeltas } from "./askLineDeltas.ts";
import { lineSentence } from "./lineSentence.ts";

export async function readLine({ active, ask, shown, report }: Services): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return;
  if (shown.current === undefined)
    throw new UserError("no-run", t("No run is shown beside the lines."), t("Choose one in Memory Runs."));
  const { uri } = editor.document;
  const result = await askLineDeltas(ask, uri.toString());
  // Where the run is now only who follows it knows.
  const known = active.isConnectedTo(shown.current.folder) ? result : result && { lines: result.lines };
  const line = editor.selection.active.line + 1;
  report.tell("information", lineSentence(known, path.posix.basename(uri.path), line));
}
