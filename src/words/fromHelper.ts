/**
 * What the board's helper worded, in the language of this program. It is stored in English. The sentences that the helper
 * may say lie in `l10n/<language>/helper.json`, and in a program only where it speaks that language.
 */
import { filled } from "./t.ts";
import { type Sentence, wordsHolder } from "./wordsHolder.ts";

/** A longer one is none of the helper's. */
const LONGEST = 4000;
/** A value may be a sentence or a reason of the helper's too. */
const DEEPEST = 3;

/** @param sentence of any board: what is not known here stays as it is */
export function fromHelper(sentence: string, depth = DEEPEST): string {
  const known = wordsHolder.jetsonMemprofWords?.sentences ?? [];
  if (depth === 0 || sentence.length > LONGEST) return sentence;
  for (const [pieces, said] of known) {
    const values = valuesBetween(pieces, sentence);
    if (values !== undefined)
      return filled(
        said,
        values.map((value) => fromHelper(value, depth - 1)),
      );
  }
  return sentence;
}

/** What stands between the pieces of a sentence; undefined where it is another one. */
function valuesBetween(pieces: Sentence[0], sentence: string): string[] | undefined {
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return sentence === first ? [] : undefined;
  const end = sentence.length - last.length;
  if (!sentence.startsWith(first) || !sentence.endsWith(last)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (const piece of rest) {
    const next = sentence.indexOf(piece, at);
    if (next < 0) return undefined;
    values.push(sentence.slice(at, next));
    at = next + piece.length;
  }
  return at > end ? undefined : [...values, sentence.slice(at, end)];
}
