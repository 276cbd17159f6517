/** What a person is shown before a command runs on a board: exactly what will run, what it changes, how to undo it. */
import { printable, printableLines } from "../../../profile/text/text.ts";
import { UserError } from "../../../profile/userError.ts";
import { t } from "../../../words/t.ts";

export interface BoardCommand {
  readonly command: string;
  /** What it does, whole sentences. */
  readonly effect: string;
  readonly undo?: string;
  /** The board as a person calls it. */
  readonly board: string;
  /** What is simulated, where the board is none: the command would change the computer that plays it. */
  readonly simulated?: string;
}

/** `ask`: it runs after a yes. `refuse`: it is shown, and does not run. */
export interface Consent {
  readonly kind: "ask" | "refuse";
  readonly message: string;
  readonly detail: string;
}

const LONGEST = 2_000;

/** @throws UserError `command-hidden` where the command cannot be shown as it is */
export function consentFor({ command, effect, undo, board, simulated }: BoardCommand): Consent {
  if (command.length > LONGEST || command.includes("\t") || printableLines(command) !== command) {
    throw new UserError(
      "command-hidden",
      t("The command contains characters that cannot be shown, or is too long to be read, so it is not run."),
      t("Copy it and look at it closely before you run it yourself."),
    );
  }
  const parts = [
    command,
    // A message box shows no code.
    printable(effect.replaceAll("`", '"')),
    ...(undo === undefined ? [] : [t("To undo it: {0}", printable(undo))]),
  ];
  if (simulated !== undefined) {
    const why = t("{0} is simulated: the command would change the computer that plays it.", printable(simulated));
    return {
      kind: "refuse",
      message: t("This command does not run on a simulated board."),
      detail: [...parts, why].join("\n\n"),
    };
  }
  const root = t("It runs as root. You may be asked for your password on the board.");
  return {
    kind: "ask",
    message: t("Run this command on {0}?", board),
    detail: [...parts, ...(/^\s*sudo\b/.test(command) ? [root] : [])].join("\n\n"),
  };
}
