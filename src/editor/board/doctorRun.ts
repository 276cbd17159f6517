/** The one way a command of this extension reaches a board: it is shown first, and runs only after a yes. */
import * as vscode from "vscode";
import type { Report } from "../report.ts";
import type { Board } from "./doctorBoard.ts";
import { type BoardCommand, consentFor } from "./doctorConsent.ts";

/** True where the command ran and ended well. @throws UserError, or CancellationError where the person cancelled it */
export async function runWithConsent(
  report: Report,
  board: Board,
  what: Omit<BoardCommand, "board">,
): Promise<boolean> {
  const simulated = what.simulated ?? (board.target === "loopback" ? "this computer, over SSH" : undefined);
  const { question, detail } = consentFor({
    ...what,
    board: board.label,
    ...(simulated === undefined ? {} : { simulated }),
  });
  const yes = "Run on the Board";
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) !== yes) return false;
  const badEnd = await board.run(what.command);
  if (badEnd !== undefined) {
    report.tell("warning", `The command ended on ${board.label} with ${badEnd}. Its output says why.`);
  }
  return badEnd === undefined;
}
