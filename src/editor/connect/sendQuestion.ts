/** Asks before something of a project goes to a board, and before one is reached that a folder names. */
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { amountText, type Leaving, leavingLines } from "../../protocol/run/leaving.ts";
import type { RunDependencies } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import { plainText } from "../report/plainText.ts";
import { inTurn } from "./prompter.ts";

const MOST_LINE = 400;
const RULES = ".jetsonignore";

/** @param token cancelled with the run; an open question goes away then and counts as declined */
export function createSendQuestion(token: vscode.CancellationToken): RunDependencies["maySend"] {
  return (leaving) =>
    inTurn(token, false, async () => {
      const send = t("Send");
      const change = t("Change What Is Sent");
      const question = t("Send {0} to {1}?", amountText(leaving), leaving.to);
      const detail = leavingLines(leaving).map((line) => plainText(line, MOST_LINE));
      const choice = await vscode.window.showInformationMessage(
        plainText(question, MOST_LINE),
        { modal: true, detail: detail.join("\n") },
        send,
        change,
      );
      if (choice === change) await openRules(leaving);
      return choice === send;
    });
}

/** @param token as createSendQuestion's */
export function createReachQuestion(token: vscode.CancellationToken): RunDependencies["mayReach"] {
  return ({ id, target }) =>
    inTurn(token, false, async () => {
      const connect = t("Connect");
      const question = t("Connect to {0} to follow {1}?", target, id);
      const detail = t(
        "The folder of this run was not made by this account, and may have come with the project. It says that the run is on that board.",
      );
      const options = { modal: true, detail };
      const choice = await vscode.window.showWarningMessage(plainText(question, MOST_LINE), options, connect);
      return choice === connect;
    });
}

/** The project's own file is opened; where there is none, a proposal that exists once it is saved. */
async function openRules({ projectFolder, heaviest, bytes }: Leaving): Promise<void> {
  const file = vscode.Uri.file(path.join(projectFolder, RULES));
  if (fs.existsSync(file.fsPath)) {
    await vscode.window.showTextDocument(file);
    return;
  }
  const document = await vscode.workspace.openTextDocument(file.with({ scheme: "untitled" }));
  const edit = new vscode.WorkspaceEdit();
  const large = heaviest.filter((part) => part.bytes >= bytes / 100);
  edit.insert(document.uri, new vscode.Position(0, 0), proposal(large.map((part) => part.path)));
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(document);
}

function proposal(paths: readonly string[]): string {
  // What would read as a pattern, or not as one line, is left to be written by hand.
  const plain = paths.filter((name) => /^[\p{L}\p{N}_.-]+\/?$/u.test(name)).slice(0, 10);
  return [
    t("# What stays on this computer when the project is sent to a board, as in a .gitignore file."),
    t("# Remove the # before what may stay here, save, and profile again:"),
    ...plain.map((name) => `#/${name}`),
    "",
  ].join("\n");
}
