/** Asks in the terminal whether to connect where a run's folder says, which may have come with somebody's project. */
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { RunDependencies } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import type { Input } from "./input.ts";
import type { Output } from "./output.ts";
import { yesOrNo } from "./prompter.ts";
import type { StatusLine } from "./statusLine.ts";

export function foreignText(id: string, target: string): string {
  return t("The folder of {0} was not made by this account. It says that the run is on {1}.", id, printable(target));
}

/** @param hint where the board cannot simply be named instead */
export function notOwnRun(text: string, target: string, hint?: string): UserError {
  const named = t("Where you know that board, name it yourself: --target {0}", printable(target));
  return new UserError("not-own-run", text, hint ?? named);
}

/** Where nobody can answer it throws: the person names the board then. */
export function createReachQuestion(input: Input, output: Output, status: StatusLine): RunDependencies["mayReach"] {
  return async ({ id, target }) => {
    const text = foreignText(id, target);
    if (!input.isTerminal) throw notOwnRun(text, target);
    status.clear();
    output.write(`${text}\n`);
    return await yesOrNo(input, output, t("Connect to it? Type yes or no: "));
  };
}
