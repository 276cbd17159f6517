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
}

/**
 * @param runs newest first; the first one is always kept
 * @param now milliseconds since 1970
 */
export function choosePruning(
  runs: readonly KeptRun[],
  deleted: readonly DeletedSize[],
  { maxRuns, maxBytes, deletedFor }: Limits,
  now: number,
): Pruning {
  let count = runs.length;
  let bytes = total(runs);
  const remove: string[] = [];
  const tooMuch = (): boolean => (maxRuns > 0 && count > maxRuns) || (maxBytes > 0 && bytes > maxBytes);
  for (const run of runs.slice(1).reverse()) {
    if (!tooMuch()) break;
    if (run.guarded) continue;
    remove.push(run.folder);
    count -= 1;
    bytes -= run.bytes;
  }
  return { remove, forget: chooseForgotten(deleted, total(runs), { maxBytes, deletedFor }, now) };
}

/** What is too old; then, oldest first, what makes room. What is only now deleted is still there to be restored. */
function chooseForgotten(
  deleted: readonly DeletedSize[],
  others: number,
  { maxBytes, deletedFor }: Pick<Limits, "maxBytes" | "deletedFor">,
  now: number,
): string[] {
  const oldestFirst = [...deleted].sort((a, b) => (a.deletedAt ?? 0) - (b.deletedAt ?? 0));
  let bytes = others + total(deleted);
  return oldestFirst
    .filter(({ deletedAt, bytes: size }) => {
      const tooOld = deletedAt !== undefined && now - deletedAt > deletedFor;
      if (!tooOld && !(maxBytes > 0 && bytes > maxBytes)) return false;
      bytes -= size;
      return true;
    })
    .map(({ folder }) => folder);
}

function total(items: readonly { readonly bytes: number }[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}
