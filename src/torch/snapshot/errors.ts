/** What can be wrong with a snapshot that is a sound pickle. */
import { UserError } from "../../profile/userError.ts";
import { describe, type PickleValue } from "../pickle/values.ts";

/** @param where such as `event 12` */
export function wrongValue(key: string, where: string, value: PickleValue | undefined, wanted: string): UserError {
  return damagedSnapshot(`"${key}" of ${where} is ${describe(value)}, not ${wanted}`);
}

/** @param what what is wrong, as the middle of a sentence */
export function damagedSnapshot(what: string): UserError {
  return new UserError(
    "snapshot-damaged",
    `The snapshot cannot be read: ${what}.`,
    "Record it again. If PyTorch wrote it so, please report the PyTorch version and this message.",
  );
}

export function noSnapshot(value: PickleValue): UserError {
  return new UserError(
    "snapshot-foreign",
    `The file holds ${describe(value)}, and not a snapshot of PyTorch's CUDA memory.`,
    "Open a file that torch.cuda.memory._dump_snapshot wrote, or one of a run's allocator.*.pickle files.",
  );
}
