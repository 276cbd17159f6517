/** After a secret was accepted: whether the system's keychain should keep it. Nothing is kept unasked. */
import * as vscode from "vscode";
import { plainText } from "../plainText.ts";
import type { Report } from "../report.ts";
import type { AcceptedSecret } from "./secretKeeper.ts";

const KEY = "jetsonMemprof.neverRemember";
const REMEMBER = "Remember in the System Keychain";
const NEVER = "Never for This One";

export async function offerToRemember(
  secrets: readonly AcceptedSecret[],
  memory: vscode.Memento,
  report: Report,
): Promise<void> {
  for (const secret of secrets) {
    const never = memory.get<readonly string[]>(KEY) ?? [];
    if (never.includes(secret.key)) continue;
    const question = `Remember ${plainText(secret.what, 200)}?`;
    const choice = await vscode.window.showInformationMessage(question, REMEMBER, NEVER);
    if (choice === REMEMBER) await report.guard("Storing in the system keychain", secret.remember);
    else if (choice === NEVER) await memory.update(KEY, [...never, secret.key]);
  }
}
