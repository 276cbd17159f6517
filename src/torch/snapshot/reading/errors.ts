/** What can be wrong with a snapshot that is a sound pickle. */
import { UserError } from "../../../profile/userError.ts";
import { type Phrase, say, t } from "../../../words/t.ts";
import { describe, type PickleValue } from "../../pickle/values.ts";

/** @param where such as `event 12` */
export function wrongValue(key: string, where: Phrase, value: PickleValue | undefined, wanted: string): UserError {
  return damagedSnapshot(t('"{0}" of {1} is {2}, not {3}', key, say(where), describe(value), wanted));
}

/** @param what what is wrong, as the middle of a sentence */
export function damagedSnapshot(what: string): UserError {
  return new UserError(
    "snapshot-damaged",
    t("The snapshot cannot be read: {0}.", what),
    t("Record it again. If PyTorch wrote it so, please report the PyTorch version and this message."),
  );
}

export function noSnapshot(value: PickleValue): UserError {
  return new UserError(
    "snapshot-foreign",
    t("The file holds {0}, and not a snapshot of PyTorch's CUDA memory.", describe(value)),
    t("Open a file that torch.cuda.memory._dump_snapshot wrote, or one of a run's allocator.*.pickle files."),
  );
}
