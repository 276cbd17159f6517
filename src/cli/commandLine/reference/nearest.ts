/** The word that was meant, where one was mistyped. */

/** Letters to change, add, leave away or swap with the next one. */
function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      const swapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + same,
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}

const LONGEST = 40;

/** @returns undefined where none is alike: at most one letter in three may be wrong */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  if (typed.length > LONGEST) return undefined;
  const [best] = known
    .map((word) => ({ word, letters: distance(typed, word) }))
    .filter(({ word, letters }) => letters <= Math.max(1, Math.floor(Math.max(typed.length, word.length) / 3)))
    .sort((one, other) => one.letters - other.letters);
  return best?.word;
}
