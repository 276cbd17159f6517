/** Text files of unknown origin: UTF-8 or UTF-16 with or without a byte order mark, or a mixture with Latin-1. */
import { t } from "../../words/t.ts";

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
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), foreignLines: 0 };
  } catch {
    return lineByLine(bytes);
  }
}

export function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const zeros = [0, 0];
  const length = Math.min(bytes.length, ENCODING_BYTES) & ~1;
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (length < 8) return undefined;
  if (odd > length * 0.4 && even < length * 0.05) return "utf-16le";
  return even > length * 0.4 && odd < length * 0.05 ? "utf-16be" : undefined;
}

function lineByLine(bytes: Uint8Array): DecodedText {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const latin = new TextDecoder("latin1");
  const pieces: string[] = [];
  let foreignLines = 0;
  for (let from = 0; from < bytes.length; ) {
    // Either line end, as where text that comes in pieces is cut: it reads the same as a whole.
    let to = from + 1;
    while (to < bytes.length && bytes[to - 1] !== 0x0a && bytes[to - 1] !== 0x0d) to++;
    const line = bytes.subarray(from, to);
    try {
      pieces.push(strict.decode(line));
    } catch {
      pieces.push(latin.decode(line));
      foreignLines++;
    }
    from = to;
  }
  return { text: pieces.join(""), foreignLines };
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
