/** What a new answer says about rows that are known already. */

/** A row as it stands in the list; those below a group come right after it. */
export interface Said {
  /** The same for as long as the row stands for the same. */
  readonly key: string;
  /** All that is shown of it, or depends on it. */
  readonly text: string;
}

/** The keys of the rows that say something new; undefined where the rows or their order are other ones. */
export function changedRows(before: readonly Said[], after: readonly Said[]): readonly string[] | undefined {
  if (before.length !== after.length || before.some(({ key }, i) => key !== after[i]?.key)) return undefined;
  return after.filter(({ text }, i) => text !== before[i]?.text).map(({ key }) => key);
}
