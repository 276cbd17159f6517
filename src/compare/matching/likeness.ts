/** Pairs edited lines with what became of them, in order, by how alike they are. */

/** Alike enough to be the same statement: half of the words and signs. */
const ENOUGH = 0.5;
/** Comparisons of lines; a larger rewrite is no edit of single lines any more. */
const MAX_COMPARISONS = 4000;
/** As many lines as before, which may have been edited one by one: each is compared with one other only. */
const MAX_IN_PLACE = 600;
/** Of a longer line, as of data, the beginning tells. */
const MAX_LENGTH = 2000;

/** @returns pairs of positions in `old` and `now`, both rising, that are alike enough */
export function pairByLikeness(old: readonly string[], now: readonly string[]): Pair[] {
  const few = old.length * now.length <= MAX_COMPARISONS;
  const sameCount = old.length === now.length && old.length <= MAX_IN_PLACE;
  if (!few && !sameCount) return [];
  const oldWords = old.map(words);
  const nowWords = now.map(words);
  if (sameCount) {
    const pairs = pairInPlace(oldWords, nowWords);
    if (pairs.length === old.length || !few) return pairs;
  }
  return likestPairs(oldWords, nowWords);
}

type Pair = [number, number];
type Words = readonly string[];

function pairInPlace(old: readonly Words[], now: readonly Words[]): Pair[] {
  return old.flatMap((line, at): Pair[] => (likeness(line, now[at] ?? []) < ENOUGH ? [] : [[at, at]]));
}

/** Those with the greatest likeness in all. */
function likestPairs(oldWords: readonly Words[], nowWords: readonly Words[]): Pair[] {
  const [old, now] = [oldWords.length, nowWords.length];
  const alike = oldWords.map((a) => nowWords.map((b) => likeness(a, b)));
  // best[i][j]: the greatest likeness that the lines from i and from j on can reach.
  const best = Array.from({ length: old + 1 }, () => new Float64Array(now + 1));
  const at = (i: number, j: number) => best[i]?.[j] ?? 0;
  const paired = (i: number, j: number) => {
    const value = alike[i]?.[j] ?? 0;
    return value < ENOUGH ? 0 : value + at(i + 1, j + 1);
  };
  for (let i = old - 1; i >= 0; i--) {
    const row = best[i];
    for (let j = now - 1; row !== undefined && j >= 0; j--) {
      row[j] = Math.max(at(i + 1, j), at(i, j + 1), paired(i, j));
    }
  }
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < old && j < now && at(i, j) > 0; ) {
    if (at(i, j) === paired(i, j)) pairs.push([i++, j++]);
    else if (at(i, j) === at(i + 1, j)) i++;
    else j++;
  }
  return pairs;
}

/** Without a comment: who explains a line leaves it as it is. */
function words(line: string): Words {
  const code = line.slice(0, MAX_LENGTH).replace(/(?:^|\s)#.*/, "");
  return code.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** The share of words and signs that both have, 0 to 1. */
function likeness(a: Words, b: Words): number {
  const left = new Map<string, number>();
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common++;
  }
  return a.length + b.length === 0 ? 0 : (2 * common) / (a.length + b.length);
}
