/** Errors and messages for people. What a board sends may be part of the text, so it is shown as plain text only. */
import * as vscode from "vscode";
import type { UserError } from "../profile/userError.ts";
import { asUserError } from "./asUserError.ts";
import { plainText } from "./plainText.ts";

export interface Report {
  /** Shows an error: a UserError with its hint, anything else as unexpected with the way to the log. */
  error(error: unknown, doing: string): void;
  /** Shows a warning that needs no answer. */
  warn(message: string): void;
  /** Runs a command's body; an error is shown, never lost. */
  guard(doing: string, body: () => Promise<unknown>): Promise<void>;
}

const SHOW_LOG = "Show Log";
const MOST_TEXT = 600;

/** The setting that helps with an error, by the error's code. */
const HELPFUL_SETTING: Readonly<Record<string, string>> = {
  "bad-setting": "jetsonMemprof",
  "bad-target": "jetsonMemprof.target",
  "no-python": "jetsonMemprof.python",
  "python-too-old": "jetsonMemprof.python",
  "python-not-found": "jetsonMemprof.python",
  "no-space": "jetsonMemprof.boardFolder",
};

export function createReport(log: vscode.LogOutputChannel): Report {
  const report: Report = {
    error(error, doing) {
      if (error instanceof vscode.CancellationError) return;
      const known = asUserError(error);
      if (known !== undefined) {
        log.error(`${doing}: [${known.code}] ${known.message} ${known.hint ?? ""}`);
        void showUserError(log, known);
        return;
      }
      log.error(`${doing}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      const reason = plainText(error instanceof Error ? error.message : String(error), MOST_TEXT);
      void vscode.window
        .showErrorMessage(
          `${doing}: something unexpected happened (${reason}). The log has the details; please report it with them.`,
          SHOW_LOG,
        )
        .then((choice) => choice === SHOW_LOG && log.show());
    },
    warn(message) {
      log.warn(message);
      void vscode.window.showWarningMessage(plainText(message, MOST_TEXT));
    },
    async guard(doing, body) {
      try {
        await body();
      } catch (error) {
        report.error(error, doing);
      }
    },
  };
  return report;
}

async function showUserError(log: vscode.LogOutputChannel, error: UserError): Promise<void> {
  const setting = HELPFUL_SETTING[error.code];
  const text = plainText([error.message, error.hint].filter(Boolean).join(" "), MOST_TEXT);
  const button = setting === undefined ? SHOW_LOG : "Open Settings";
  const choice = await vscode.window.showErrorMessage(text, button);
  if (choice === SHOW_LOG) log.show();
  else if (choice !== undefined) await vscode.commands.executeCommand("workbench.action.openSettings", setting);
}
