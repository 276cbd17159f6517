/** Columns of text, as a terminal shows it. */
import { eastAsianWidth } from "get-east-asian-width";

/** Columns that text takes: a Chinese character takes two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  return width;
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - displayWidth(text))) + text;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/**
 * Each row as a line, its cells below one another. Cells must be printable.
 * @param figures how many of the first columns are figures, which stand to the right
 */
export function aligned(rows: readonly (readonly string[])[], figures: number): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, column) => (column < figures ? padStart : padEnd)(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
