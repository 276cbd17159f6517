/** What can be wrong with a pickle, for people. */
import { UserError } from "../../profile/userError.ts";
import { phrase, say, t } from "../../words/t.ts";
import { refusal } from "./opcodes.ts";

const AGAIN = phrase("Copy it from the board again, or record another snapshot.");

/** @param what what is wrong, as the middle of a sentence */
export function damagedAt(what: string, offset: number): UserError {
  return new UserError("pickle-damaged", t("The file is damaged: {0} at byte {1}.", what, offset), say(AGAIN));
}

export function cutOff(length: number): UserError {
  const what = t("The file ends after {0} bytes, before its data does: a part is missing.", length);
  return new UserError("pickle-damaged", what, say(AGAIN));
}

export function tooLarge(message: string): UserError {
  return new UserError(
    "pickle-too-large",
    message,
    t("Record fewer events (the snapshot's max_entries), or without the C++ frames of the stacks."),
  );
}

export function foreign(): UserError {
  return new UserError(
    "pickle-foreign",
    t("The file is not a pickle of protocol 2 to 5, which is how PyTorch's memory snapshots are written."),
    t("Open a file that torch.cuda.memory._dump_snapshot wrote, or one of a run's allocator.*.pickle files."),
  );
}

export function refused(opcode: number, offset: number): UserError {
  return new UserError(
    "pickle-refused",
    t("The file was not read: at byte {0} stands the pickle instruction {1}.", offset, refusal(opcode)),
    t(
      "A memory snapshot of PyTorch has no such instruction. Do not open this file with Python's pickle unless you trust whoever made it.",
    ),
  );
}
