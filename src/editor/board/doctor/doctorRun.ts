/** The one way a command of this extension reaches a board: it is shown first, and runs only after a yes. */
import * as vscode from "vscode";
import { t } from "../../../words/t.ts";
import type { Report } from "../../report/report.ts";
import type { Board } from "./doctorBoard.ts";
import { type BoardCommand, consentFor } from "./doctorConsent.ts";

/** True where the command ran and ended well. @throws UserError, or CancellationError where the person cancelled it */
export async function runWithConsent(
  report: Report,
  board: Board,
  what: Omit<BoardCommand, "board">,
): Promise<boolean> {
  const { kind, message, detail } = consentFor({ ...what, board: board.label });
  const [run, copy] = [t("Run on the Board"), t("Copy Command")];
  const answers = kind === "ask" ? [run, copy] : [copy];
  const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...answers);
  if (answer === copy) await vscode.env.clipboard.writeText(what.command);
  if (answer !== run) return false;
  const badEnd = await board.run(what.command);
  if (badEnd !== undefined) {
    report.tell("warning", t("The command ended on {0} with {1}. Its output says why.", board.label, badEnd));
  }
  return badEnd === undefined;
}
