/** After a secret was accepted: whether the system's keychain should keep it. Nothing is kept unasked. */
import * as vscode from "vscode";
import { phrase, say, t } from "../../words/t.ts";
import { plainText } from "../report/plainText.ts";
import type { Report } from "../report/report.ts";
import type { AcceptedSecret } from "./secretKeeper.ts";

const KEY = "jetsonMemprof.neverRemember";
const REMEMBER = phrase("Remember in the System Keychain");
const NEVER = phrase("Never for This One");

export async function offerToRemember(
  secrets: readonly AcceptedSecret[],
  memory: vscode.Memento,
  report: Report,
): Promise<void> {
  for (const secret of secrets) {
    const never = memory.get<readonly string[]>(KEY) ?? [];
    if (never.includes(secret.key)) continue;
    const question = t("Remember {0}?", plainText(secret.what, 200));
    const choice = await vscode.window.showInformationMessage(question, say(REMEMBER), say(NEVER));
    if (choice === say(REMEMBER)) await report.guard(t("Storing in the system keychain"), secret.remember);
    else if (choice === say(NEVER)) await memory.update(KEY, [...never, secret.key]);
  }
}
