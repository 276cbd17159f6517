/** Text of unknown origin that comes in pieces, given on in whole lines: a log may be larger than memory. */
import { decodeLines, ENCODING_BYTES, utf16Of, wholeLines } from "./decodeText.ts";

/** No line of a log is longer, in bytes of what comes and in UTF-16 units of what is given; the rest of one is dropped. */
export const LONGEST_LINE = 1024 * 1024;

export interface TextPieces {
  /** What can be read by now: whole lines, or nothing. */
  push(bytes: Uint8Array): string;
  /** The rest: a last line that perhaps was not ended. */
  end(): string;
  /** Lines so far that are no UTF-8 and were read as Latin-1. */
  foreignLines(): number;
}

export function createTextPieces(): TextPieces {
  let waiting: Uint8Array = new Uint8Array();
  let open = "";
  let decode: ((bytes: Uint8Array, isLast: boolean) => string) | undefined;
  let foreignLines = 0;

  function utf8(bytes: Uint8Array, isLast: boolean): string {
    const to = isLast ? bytes.length : decodable(bytes);
    const decoded = decodeLines(bytes.subarray(0, to));
    // A copy: a part of a piece would keep all of it in memory.
    waiting = bytes.slice(to);
    foreignLines += decoded.foreignLines;
    return decoded.text;
  }

  function decoded(bytes: Uint8Array, isLast: boolean): string {
    const all = waiting.length === 0 ? bytes : joined(waiting, bytes);
    if (decode === undefined && all.length < ENCODING_BYTES && !isLast) {
      waiting = all.slice();
      return "";
    }
    waiting = new Uint8Array();
    decode ??= decoderOf(all);
    return decode(all, isLast);
  }

  function decoderOf(beginning: Uint8Array): NonNullable<typeof decode> {
    const encoding = utf16Of(beginning);
    if (encoding === undefined) return utf8;
    const decoder = new TextDecoder(encoding);
    return (bytes, isLast) => decoder.decode(bytes, { stream: !isLast });
  }

  return {
    push(bytes) {
      const text = open + decoded(bytes, false);
      const to = lineEnd(text);
      open = text.slice(to, to + LONGEST_LINE);
      return text.slice(0, to);
    },
    end() {
      const text = open + decoded(new Uint8Array(), true);
      open = "";
      return text;
    },
    foreignLines: () => foreignLines,
  };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** So far lines are whole, as whether one is UTF-8 is told of all of it; of a line without end, all there is. */
function decodable(bytes: Uint8Array): number {
  const whole = wholeLines(bytes);
  if (whole > 0 || bytes.length < LONGEST_LINE) return whole;
  let to = bytes.length;
  for (let back = 0; back < 3 && isContinuation(bytes[to - 1]); back++) to--;
  return to - 1;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Behind the text's last line end. A carriage return at its very end may be half of one. */
function lineEnd(text: string): number {
  let to = text.endsWith("\r") ? text.length - 1 : text.length;
  while (to > 0 && text.charCodeAt(to - 1) !== 10 && text.charCodeAt(to - 1) !== 13) to--;
  return to;
}
