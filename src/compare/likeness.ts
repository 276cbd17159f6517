/** Pairs edited lines with what became of them, in order, by how alike they are. */

/** Alike enough to be the same statement: half of the words and signs. */
const ENOUGH = 0.5;
/** Comparisons of lines; a larger rewrite is no edit of single lines any more. */
const MAX_COMPARISONS = 4000;

/** @returns pairs of positions in `old` and `now`, both rising, with the greatest likeness in all */
export function pairByLikeness(old: readonly string[], now: readonly string[]): [number, number][] {
  if (old.length * now.length > MAX_COMPARISONS) return [];
  const oldWords = old.map(words);
  const nowWords = now.map(words);
  const alike = oldWords.map((a) => nowWords.map((b) => likeness(a, b)));
  // best[i][j]: the greatest likeness that the lines from i and from j on can reach.
  const best = Array.from({ length: old.length + 1 }, () => new Float64Array(now.length + 1));
  const at = (i: number, j: number) => best[i]?.[j] ?? 0;
  const paired = (i: number, j: number) => {
    const value = alike[i]?.[j] ?? 0;
    return value < ENOUGH ? 0 : value + at(i + 1, j + 1);
  };
  for (let i = old.length - 1; i >= 0; i--) {
    const row = best[i];
    for (let j = now.length - 1; row !== undefined && j >= 0; j--) {
      row[j] = Math.max(at(i + 1, j), at(i, j + 1), paired(i, j));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < old.length && j < now.length && at(i, j) > 0; ) {
    if (at(i, j) === paired(i, j)) pairs.push([i++, j++]);
    else if (at(i, j) === at(i + 1, j)) i++;
    else j++;
  }
  return pairs;
}

function words(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** The share of words and signs that both have, 0 to 1. */
function likeness(a: readonly string[], b: readonly string[]): number {
  const left = [...a];
  let common = 0;
  for (const word of b) {
    const position = left.indexOf(word);
    if (position < 0) continue;
    left.splice(position, 1);
    common++;
  }
  return a.length + b.length === 0 ? 0 : (2 * common) / (a.length + b.length);
}
