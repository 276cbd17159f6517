/** Asks in the terminal whether a run is started that will likely fail. */
import { printable } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import type { RunDependencies } from "../../protocol/run/run.ts";
import { t } from "../../words/t.ts";
import type { Input } from "../terminal/input.ts";
import type { Output } from "../terminal/output.ts";
import { yesOrNo } from "../terminal/prompter.ts";
import type { StatusLine } from "../terminal/statusLine.ts";

/** @param anyway the person has said yes beforehand */
export function createRiskQuestion(
  input: Input,
  output: Output,
  status: StatusLine,
  anyway: boolean,
): RunDependencies["acceptRisk"] {
  return async ({ message, suggestions }) => {
    const text = printable(message);
    const ways = suggestions.map(printable);
    if (!input.isTerminal && !anyway) {
      throw new UserError(
        "risk-not-accepted",
        text,
        [t("What would help:"), ...ways, t("Or give --anyway to start it regardless.")].join("\n  "),
      );
    }
    status.clear();
    output.write(`${text}\n`);
    if (anyway) return true;
    output.write(t("What would help:\n{0}", ways.map((way) => `  ${way}\n`).join("")));
    return await yesOrNo(input, output, t("Start it anyway? Type yes or no: "));
  };
}
