/** Asks in the terminal whether to connect where a run's folder says, which may have come with somebody's project. */
import { printable } from "../profile/text.ts";
import { UserError } from "../profile/userError.ts";
import type { RunDependencies } from "../protocol/board.ts";
import { t } from "../words/t.ts";
import type { Input } from "./input.ts";
import type { Output } from "./output.ts";
import { yesOrNo } from "./prompter.ts";
import type { StatusLine } from "./statusLine.ts";

/** Where nobody can answer it throws: the person names the board then. */
export function createReachQuestion(input: Input, output: Output, status: StatusLine): RunDependencies["mayReach"] {
  return async ({ id, target }) => {
    const board = printable(target);
    const text = t("The folder of {0} was not made by this account. It says that the run is on {1}.", id, board);
    if (!input.isTerminal) {
      throw new UserError("not-own-run", text, t("Where you know that board, name it yourself: --target {0}", board));
    }
    status.clear();
    output.write(`${text}\n`);
    return await yesOrNo(async () => {
      output.write(t("Connect to it? Type yes or no: "));
      const line = await input.line(false);
      if (line === undefined) output.write("\n");
      return line;
    });
  };
}
