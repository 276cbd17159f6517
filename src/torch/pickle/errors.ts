/** What can be wrong with a pickle, for people. */
import { UserError } from "../../profile/userError.ts";
import { refusal } from "./opcodes.ts";

const AGAIN = "Copy it from the board again, or record another snapshot.";

/** @param what what is wrong, as the middle of a sentence */
export function damagedAt(what: string, offset: number): UserError {
  return new UserError("pickle-damaged", `The file is damaged: ${what} at byte ${offset}.`, AGAIN);
}

export function cutOff(length: number): UserError {
  const what = `The file ends after ${length} bytes, before its data does: a part is missing.`;
  return new UserError("pickle-damaged", what, AGAIN);
}

export function tooLarge(message: string): UserError {
  return new UserError(
    "pickle-too-large",
    message,
    "Record fewer events (the snapshot's max_entries), or without the C++ frames of the stacks.",
  );
}

export function foreign(): UserError {
  return new UserError(
    "pickle-foreign",
    "The file is no pickle of protocol 2 to 5, which is how PyTorch's memory snapshots are written.",
    "Open a file that torch.cuda.memory._dump_snapshot wrote, or one of a run's allocator.*.pickle files.",
  );
}

export function refused(opcode: number, offset: number): UserError {
  return new UserError(
    "pickle-refused",
    `The file was not read: at byte ${offset} stands the pickle instruction ${refusal(opcode)}.`,
    "A memory snapshot of PyTorch has no such instruction. Do not open this file with Python's pickle unless you trust whoever made it.",
  );
}
