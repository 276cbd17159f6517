/** Something done with a board besides a run. */
import * as vscode from "vscode";
import type { Prompter } from "../../protocol/run/run.ts";
import { plainText } from "../report/plainText.ts";
import type { Services } from "../services.ts";
import { createPrompter } from "./prompter.ts";
import { offerToRemember } from "./rememberSecrets.ts";
import { createSecretKeeper } from "./secretKeeper.ts";

/** Does something with the board while a notification shows that and offers to cancel it. */
export async function connected<Result>(
  { context, report }: Pick<Services, "context" | "report">,
  title: string,
  body: (prompter: Prompter, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new vscode.CancellationTokenSource();
  const abort = new AbortController();
  const keeper = createSecretKeeper(context.secrets);
  const where = { location: vscode.ProgressLocation.Notification, title: plainText(title, 200), cancellable: true };
  try {
    return await vscode.window.withProgress(where, async (_progress, token) => {
      token.onCancellationRequested(() => {
        over.cancel();
        abort.abort(new vscode.CancellationError());
      });
      const result = await body(createPrompter(keeper, over.token), abort.signal);
      void offerToRemember(keeper.accepted(), context.globalState, report);
      return result;
    });
  } finally {
    // An open question goes away with what it was for.
    over.cancel();
    over.dispose();
  }
}
