/**
 * Text files of unknown origin: UTF-8 or UTF-16 with or without a byte order mark, or UTF-8 with lines of Latin-1 or of
 * UTF-16 among it: Windows PowerShell's `>>` appends UTF-16 to a file of any encoding.
 */
import { t } from "../../../words/t.ts";

export interface DecodedText {
  readonly text: string;
  /** Lines that are no UTF-8 and were read as Latin-1. */
  readonly foreignLines: number;
}

/** What the first bytes are looked at for: UTF-16 of mostly ASCII has a zero in every other byte. */
export const ENCODING_BYTES = 4_096;

export function decodeText(bytes: Uint8Array): DecodedText {
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined) return { text: new TextDecoder(utf16).decode(bytes), foreignLines: 0 };
  return decodeLines(bytes);
}

/** Of what is not UTF-16. */
export function decodeLines(bytes: Uint8Array): DecodedText {
  // NUL is valid UTF-8, but what has some was hardly meant as that.
  if (bytes.includes(0)) return lineByLine(bytes);
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), foreignLines: 0 };
  } catch {
    return lineByLine(bytes);
  }
}

export function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const head = bytes.subarray(0, Math.min(bytes.length, ENCODING_BYTES) & ~1);
  // A first line without any is of another encoding: UTF-16 was appended to it.
  const firstEnd = head.findIndex((byte) => byte === 0x0a || byte === 0x0d);
  if (head.length < 8 || (firstEnd >= 0 && head.indexOf(0) > firstEnd + 1)) return undefined;
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > head.length * 0.4 && even < head.length * 0.05) return "utf-16le";
  return even > head.length * 0.4 && odd < head.length * 0.05 ? "utf-16be" : undefined;
}

function lineByLine(bytes: Uint8Array): DecodedText {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const latin = new TextDecoder("latin1");
  const pieces: string[] = [];
  let foreignLines = 0;
  for (let from = 0; from < bytes.length; ) {
    // The second byte of a line end in UTF-16 where text that comes in pieces was cut at its first.
    if (bytes[from] === 0 && bytes[from + 1] !== 0) {
      from++;
      continue;
    }
    const isWide = beginsWide(bytes, from);
    const to = behindLine(bytes, from, isWide ? 2 : 1);
    const line = bytes.subarray(from, to);
    try {
      pieces.push(isWide ? wideText(line) : strict.decode(line));
    } catch {
      pieces.push(latin.decode(line));
      foreignLines++;
    }
    from = to;
  }
  return { text: pieces.join(""), foreignLines };
}

/** By the line's first character, which is one of ASCII in all that is imported, or a byte order mark. */
function beginsWide(bytes: Uint8Array, from: number): boolean {
  const [first, second] = [bytes[from], bytes[from + 1]];
  return (first !== 0 && second === 0) || (first === 0xff && second === 0xfe);
}

/** Either line end, as where text that comes in pieces is cut: it reads the same as a whole. */
function behindLine(bytes: Uint8Array, from: number, width: 1 | 2): number {
  const isEnd = (at: number) =>
    (bytes[at] === 0x0a || bytes[at] === 0x0d) && (width === 1 || (bytes[at + 1] ?? 0) === 0);
  let at = from;
  while (at < bytes.length && !isEnd(at)) at += width;
  return Math.min(at + width, bytes.length);
}

/** The last byte may stand alone: the other one of its character begins the next piece, or is lost. */
function wideText(line: Uint8Array): string {
  const whole = line.length & ~1;
  return new TextDecoder("utf-16le").decode(line.subarray(0, whole)) + String.fromCharCode(...line.subarray(whole));
}

/** A text's lines one after the other, with any line ends; the last one is `whole` only where an end follows it. */
export function* linesOf(text: string): Generator<{ readonly line: string; readonly whole: boolean }> {
  for (let from = 0; from < text.length; ) {
    let to = from;
    while (to < text.length && text.charCodeAt(to) !== 10 && text.charCodeAt(to) !== 13) to++;
    yield { line: text.slice(from, to), whole: to < text.length };
    from = to + (text.charCodeAt(to) === 13 && text.charCodeAt(to + 1) === 10 ? 2 : 1);
  }
}

export function foreignNote(lines: number): string[] {
  if (lines === 0) return [];
  return [
    lines === 1
      ? t("1 line is not in UTF-8; it was read as Latin-1.")
      : t("{0} lines are not in UTF-8; they were read as Latin-1.", lines),
  ];
}
