/** The walkthrough's steps, each marked as done by what was reached, whichever way led there. */
import * as vscode from "vscode";

export type Milestone = "board" | "key" | "profiled" | "read" | "flame" | "ledger";

/** Completes the step whose completion event is `onContext:jetsonMemprof.reached.<milestone>`. */
export function reached(milestone: Milestone): void {
  void vscode.commands.executeCommand("setContext", `jetsonMemprof.reached.${milestone}`, true);
}
