/** What a person is shown before a command runs on a board: exactly what will run, what it changes, how to undo it. */
import { printable, printableLines } from "../../profile/text.ts";
import { UserError } from "../../profile/userError.ts";

export interface BoardCommand {
  readonly command: string;
  /** What it does, whole sentences. */
  readonly effect: string;
  readonly undo?: string;
  /** The board as a person calls it. */
  readonly board: string;
  /** What is simulated, where the board is none: the command then changes the computer that plays it. */
  readonly simulated?: string;
}

export interface Consent {
  readonly question: string;
  readonly detail: string;
}

const LONGEST = 2_000;

/** @throws UserError `command-hidden` where the command cannot be shown as it is */
export function consentFor({ command, effect, undo, board, simulated }: BoardCommand): Consent {
  if (command.length > LONGEST || command.includes("\t") || printableLines(command) !== command) {
    throw new UserError(
      "command-hidden",
      "The command holds characters that cannot be shown, or is too long to be read, so it is not run.",
      "Copy it and look at it closely before you run it yourself.",
    );
  }
  const detail = [
    command,
    // A message box shows no code.
    printable(effect.replaceAll("`", '"')),
    undo === undefined ? undefined : `To take it back: ${printable(undo)}`,
    /^\s*sudo\b/.test(command) ? "It runs as root. You may be asked for your password on the board." : undefined,
    simulated === undefined
      ? undefined
      : `This board is simulated (${simulated}). The command runs on the computer that plays it, and changes that computer.`,
  ];
  return {
    question: `Run this command on ${board}?`,
    detail: detail.filter((part) => part !== undefined).join("\n\n"),
  };
}
