/**
 * The rows that a key pressed in a list means: the one that the arrow keys led to, with all others where it is one of
 * several selected ones. VS Code tells an extension what is selected, not where the focus is; selecting that row, or
 * no longer, and back shows it.
 * @param toggle selects the row with the focus, or no longer
 */
export async function rowsOfKey<Row>(
  selection: () => readonly Row[],
  toggle: () => PromiseLike<unknown>,
): Promise<readonly Row[]> {
  const before = selection();
  await toggle();
  const after = selection();
  await toggle();
  const focused = after.find((row) => !before.includes(row));
  return focused === undefined ? before : [focused];
}
