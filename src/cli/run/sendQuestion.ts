/** Says in the terminal what of a project is about to go to a board, and asks where somebody can answer. */

import { amountText, leavingLines } from "../../protocol/run/leaving.ts";
import type { RunDependencies } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import type { Input } from "../terminal/input.ts";
import type { Output } from "../terminal/output.ts";
import { yesOrNo } from "../terminal/prompter.ts";
import type { StatusLine } from "../terminal/statusLine.ts";

/** @param quiet says nothing where nobody is asked */
export function createSendQuestion(
  input: Input,
  output: Output,
  status: StatusLine,
  quiet: boolean,
): RunDependencies["maySend"] {
  return async (leaving) => {
    status.clear();
    if (quiet && !input.isTerminal) return true;
    const lines = [t("{0} will be sent to {1}.", amountText(leaving), leaving.to), ...leavingLines(leaving)];
    output.write(`${lines.join("\n")}\n`);
    // A program that starts us cannot answer: what it asked for is done, and told.
    if (!input.isTerminal) return true;
    const yes = await yesOrNo(input, output, t("Send it? Type yes or no: "));
    if (!yes)
      output.write(t("Nothing was sent. What is to stay here can be named in .jetsonignore or with --exclude.\n"));
    return yes;
  };
}
