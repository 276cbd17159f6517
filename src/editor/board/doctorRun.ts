/** The one way a command of this extension reaches a board: it is shown first, and runs only after a yes. */
import * as vscode from "vscode";
import type { Report } from "../report.ts";
import type { Board } from "./doctorBoard.ts";
import { type BoardCommand, consentFor } from "./doctorConsent.ts";

const RUN = "Run on the Board";
const COPY = "Copy Command";

/** True where the command ran and ended well. @throws UserError, or CancellationError where the person cancelled it */
export async function runWithConsent(
  report: Report,
  board: Board,
  what: Omit<BoardCommand, "board">,
): Promise<boolean> {
  const { kind, message, detail } = consentFor({ ...what, board: board.label });
  const answers = kind === "ask" ? [RUN, COPY] : [COPY];
  const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...answers);
  if (answer === COPY) await vscode.env.clipboard.writeText(what.command);
  if (answer !== RUN) return false;
  const badEnd = await board.run(what.command);
  if (badEnd !== undefined) {
    report.tell("warning", `The command ended on ${board.label} with ${badEnd}. Its output says why.`);
  }
  return badEnd === undefined;
}
