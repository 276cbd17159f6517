/** Columns of text. */

/**
 * Each row as a line, its cells below one another. Cells must be printable.
 * @param figures how many of the first columns are figures, which stand to the right
 */
export function aligned(rows: readonly (readonly string[])[], figures: number): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, column) => (column < figures ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
