/** Long texts are handed over in pieces: in one they could be longer than a string may be. */

const PIECE = 64 * 1024;

/** The same text in pieces of about 64 Ki characters. */
export function* inPieces(parts: Iterable<string>): Generator<string> {
  let waiting: string[] = [];
  let length = 0;
  for (const part of parts) {
    waiting.push(part);
    length += part.length;
    if (length < PIECE) continue;
    yield waiting.join("");
    waiting = [];
    length = 0;
  }
  if (length > 0) yield waiting.join("");
}
