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

/** Of what is not UTF-16. A byte order mark at a line's beginning is left out: files with one are put together, too. */
export function decodeLines(bytes: Uint8Array): DecodedText {
  // NUL is valid UTF-8, but what has some was hardly meant as that.
  if (bytes.includes(0)) return lineByLine(bytes);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const isMarked = text.includes("\ufeff");
    return { text: isMarked ? text.replace(/(?<=^|[\n\r])\ufeff/g, "") : text, foreignLines: 0 };
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
  for (const { from, to, kind } of parts(bytes)) {
    if (kind === "left over") continue;
    const line = bytes.subarray(from, to);
    try {
      pieces.push(kind === "wide" ? wideText(line) : strict.decode(line));
    } catch {
      pieces.push(latin.decode(line));
      foreignLines++;
    }
  }
  return { text: pieces.join(""), foreignLines };
}

/**
 * How far `bytes`, of which more is to come, can be decoded and read the same as a whole; 0 where it has no line that
 * ended. The last byte is never in it: whether it is half of a line end in UTF-16 is told by the next one.
 */
export function wholeLines(bytes: Uint8Array): number {
  let whole = 0;
  if (bytes.includes(0) || bytes.includes(0xff)) {
    for (const { to } of parts(bytes)) if (to < bytes.length) whole = to;
    return whole;
  }
  whole = Math.max(0, bytes.length - 1);
  while (whole > 0 && bytes[whole - 1] !== 0x0a && bytes[whole - 1] !== 0x0d) whole--;
  return whole;
}

interface Part {
  readonly from: number;
  readonly to: number;
  /** Left over: the second byte of a line end in UTF-16 whose line did not begin as one. */
  readonly kind: "narrow" | "wide" | "left over";
}

/** Lines with their ends, and what lies between them. */
function* parts(bytes: Uint8Array): Generator<Part> {
  for (let from = 0, to = 0; from < bytes.length; from = to) {
    const kind = kindAt(bytes, from);
    to = kind === "left over" ? from + 1 : behindLine(bytes, from, kind === "wide" ? 2 : 1);
    yield { from, to, kind };
  }
}

/** By the line's first character, which is one of ASCII in all that is imported, or a byte order mark. */
function kindAt(bytes: Uint8Array, from: number): Part["kind"] {
  const [first, second] = [bytes[from], bytes[from + 1]];
  if (first === 0) return second === 0 ? "narrow" : "left over";
  return second === 0 || (first === 0xff && second === 0xfe) ? "wide" : "narrow";
}

/** Either line end. */
function behindLine(bytes: Uint8Array, from: number, width: 1 | 2): number {
  const isEnd = (at: number) =>
    (bytes[at] === 0x0a || bytes[at] === 0x0d) && (width === 1 || (bytes[at + 1] ?? 0) === 0);
  let at = from;
  while (at < bytes.length && !isEnd(at)) at += width;
  return Math.min(at + width, bytes.length);
}

/** The last byte may stand alone: the other one of its character was cut off. */
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
