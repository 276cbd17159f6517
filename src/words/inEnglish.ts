/** English whatever the program speaks: what is sent to others, and what programs read. */
import { wordsHolder } from "./wordsHolder.ts";

/** @param make ends before it returns; for what comes piece by piece there is `piecesInEnglish` */
export function inEnglish<T>(make: () => T): T {
  const words = wordsHolder.jetsonMemprofWords;
  wordsHolder.jetsonMemprofWords = undefined;
  try {
    return make();
  } finally {
    wordsHolder.jetsonMemprofWords = words;
  }
}

/** Pieces that are made as they are asked for: each in English, and in between the program speaks as before. */
export function* piecesInEnglish<T>(pieces: Iterable<T>): Generator<T> {
  const iterator = pieces[Symbol.iterator]();
  try {
    for (let next = inEnglish(() => iterator.next()); next.done !== true; next = inEnglish(() => iterator.next())) {
      yield next.value;
    }
  } finally {
    iterator.return?.();
  }
}
