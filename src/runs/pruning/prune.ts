/** Which runs are too many or too large to be kept: a decision, without touching anything. */

export interface Limits {
  /** Runs; 0: no limit. */
  readonly maxRuns: number;
  /** Bytes of all runs together, deleted ones too; 0: no limit. */
  readonly maxBytes: number;
  /** Milliseconds that a deleted run can be restored. */
  readonly deletedFor: number;
}

export const DAY_MS = 86_400_000;
export const DEFAULT_LIMITS: Limits = { maxRuns: 200, maxBytes: 2 ** 31, deletedFor: 7 * DAY_MS };

export interface KeptRun {
  readonly folder: string;
  readonly bytes: number;
  /** Its user or its state keeps it: pinned, shown, going on, unreadable, or in a group with one of these. */
  readonly guarded: boolean;
}

export interface DeletedSize {
  readonly folder: string;
  readonly bytes: number;
  /** Milliseconds since 1970; one of unknown time counts as the oldest where room is needed, and never as too old. */
  readonly deletedAt?: number;
}

export interface Pruning {
  /** To be deleted, oldest first; that can be undone. */
  readonly remove: readonly string[];
  /** Deleted runs to be removed for good. */
  readonly forget: readonly string[];
  /** Limits that the runs which must stay are above by themselves: nothing is deleted for them. */
  readonly unreachable: readonly ("maxRuns" | "maxBytes")[];
}

/**
 * Where a limit cannot be reached, to delete every run that may go would be a loss and no help.
 * @param runs newest first; the first one is always kept
 * @param now milliseconds since 1970
 */
export function choosePruning(
  runs: readonly KeptRun[],
  deleted: readonly DeletedSize[],
  { maxRuns, maxBytes, deletedFor }: Limits,
  now: number,
): Pruning {
  const oldestFirst = runs
    .slice(1)
    .filter(({ guarded }) => !guarded)
    .reverse();
  let count = runs.length;
  let bytes = total(runs);
  const tooManyStay = maxRuns > 0 && count - oldestFirst.length > maxRuns;
  const tooLargeStay = maxBytes > 0 && bytes - total(oldestFirst) > maxBytes;
  const mostRuns = maxRuns === 0 || tooManyStay ? Number.POSITIVE_INFINITY : maxRuns;
  const mostBytes = maxBytes === 0 || tooLargeStay ? Number.POSITIVE_INFINITY : maxBytes;
  const remove: string[] = [];
  for (const run of oldestFirst) {
    if (count <= mostRuns && bytes <= mostBytes) break;
    remove.push(run.folder);
    count -= 1;
    bytes -= run.bytes;
  }
  return {
    remove,
    forget: chooseForgotten(deleted, total(runs), { mostBytes, deletedFor }, now),
    unreachable: [...(tooManyStay ? (["maxRuns"] as const) : []), ...(tooLargeStay ? (["maxBytes"] as const) : [])],
  };
}

/** What is too old; then, oldest first, what makes room. What is only now deleted is still there to be restored. */
function chooseForgotten(
  deleted: readonly DeletedSize[],
  others: number,
  { mostBytes, deletedFor }: { readonly mostBytes: number; readonly deletedFor: number },
  now: number,
): string[] {
  const oldestFirst = [...deleted].sort((a, b) => (a.deletedAt ?? 0) - (b.deletedAt ?? 0));
  let bytes = others + total(deleted);
  return oldestFirst
    .filter(({ deletedAt, bytes: size }) => {
      const tooOld = deletedAt !== undefined && now - deletedAt > deletedFor;
      if (!tooOld && bytes <= mostBytes) return false;
      bytes -= size;
      return true;
    })
    .map(({ folder }) => folder);
}

function total(items: readonly { readonly bytes: number }[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}
