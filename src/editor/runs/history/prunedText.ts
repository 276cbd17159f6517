/** What is said of runs that were pruned. Nothing of VS Code is needed for it. */
import { formatCount } from "../../../profile/text/format.ts";
import { sentences, t } from "../../../words/t.ts";

/**
 * @param deleted runs, which can be restored
 * @param removed deleted ones, for good
 */
export function prunedText(deleted: number, removed: number): string {
  return sentences(deletedText(deleted), removedText(removed));
}

function deletedText(count: number): string | undefined {
  if (count === 0) return undefined;
  return count === 1
    ? t("An old run was deleted to keep the history within its limits. Pinned runs always stay.")
    : t(
        "{0} old runs were deleted to keep the history within its limits. Pinned runs always stay.",
        formatCount(count),
      );
}

function removedText(count: number): string | undefined {
  if (count === 0) return undefined;
  return count === 1
    ? t("A deleted run was removed for good to keep the history within its limits.")
    : t("{0} deleted runs were removed for good to keep the history within its limits.", formatCount(count));
}
