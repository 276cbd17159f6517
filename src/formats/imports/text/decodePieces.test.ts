import { describe, expect, it } from "vitest";
import { createTextPieces, LONGEST_LINE } from "./decodePieces.ts";
import { decodeText } from "./decodeText.ts";

/** @param sizes of the pieces, over and over */
function inPieces(bytes: Uint8Array, sizes: readonly number[]): { pieces: string[]; foreignLines: number } {
  const reader = createTextPieces();
  const pieces: string[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const to = from + (sizes[turn % sizes.length] ?? 1);
    pieces.push(reader.push(bytes.subarray(from, to)));
    from = to;
  }
  return { pieces: [...pieces, reader.end()], foreignLines: reader.foreignLines() };
}

const utf16 = (text: string, isLittle: boolean) => {
  const bytes = Buffer.from(text, "utf16le");
  return isLittle ? bytes : bytes.swap16();
};
const TEXT = "MEM 1.5 100\r\nné 😀\r\r\n\n\u010a\u0a0a a\nrow\n".repeat(300);
const TEXTS: Readonly<Record<string, Uint8Array>> = {
  "UTF-8": Buffer.from(TEXT),
  "UTF-8 that is cut off": Buffer.from(`${TEXT}é`).subarray(0, -1),
  "UTF-8 with lines of Latin-1": Buffer.concat([Buffer.from(TEXT), Buffer.from("caf\u00e9\nMEM\n", "latin1")]),
  "UTF-8 with UTF-16 behind it": Buffer.concat([Buffer.from(TEXT), utf16("MEM 1.5\r\n\r\nné\n".repeat(300), true)]),
  "UTF-8 with UTF-16 behind it, line ends' bytes inside of characters": Buffer.concat([
    Buffer.from(TEXT),
    utf16("MEM \u0d0d\u0a0a\u000d\u010d\n\r\n\u0d0d\n".repeat(300), true),
  ]),
  "UTF-8 with UTF-16 behind a line without end": Buffer.concat([
    Buffer.from("MEM"),
    utf16("MEM 1.5\r\n".repeat(9), true),
  ]),
  "UTF-8 with NULs": Buffer.from("MEM 1\n\0\0MEM\n\0\n\r\0\0\0\nMEM\n"),
  "UTF-8 with byte order marks": Buffer.from("\ufeffMEM\n\ufeff\ufeffMEM\u2028\ufeff\r\ufeff\nMEM\n"),
  "UTF-8 with byte order marks and UTF-16": Buffer.concat([
    Buffer.from("\ufeffMEM\n\ufeffMEM\n"),
    utf16("\ufeff\u0d0d\u0a0d\n\ufeffMEM\n", true),
  ]),
  "UTF-16": utf16(`\ufeff${TEXT}`, true),
  "UTF-16, the high byte first": utf16(`\ufeff${TEXT}`, false),
  "UTF-16 without a byte order mark": utf16("MEM 1.5 100\r\n".repeat(900), true),
  nothing: new Uint8Array(),
  "a few bytes": Buffer.from("a"),
};

describe("text in pieces", () => {
  it.each(Object.keys(TEXTS))("is that of the whole, wherever it is divided: %s", (name) => {
    const bytes = TEXTS[name] ?? new Uint8Array();
    const whole = decodeText(bytes);
    for (const sizes of [[1], [2, 3, 1], [7, 4_096], [1_000], [1_000_000]]) {
      const { pieces, foreignLines } = inPieces(bytes, sizes);
      expect(pieces.join("")).toBe(whole.text);
      expect(foreignLines).toBe(whole.foreignLines);
    }
  });

  it("comes in whole lines, and no line end is divided", () => {
    const { pieces } = inPieces(Buffer.from(TEXT), [5, 1, 17]);
    const given = pieces.slice(0, -1).filter((piece) => piece !== "");
    expect(given.length).toBeGreaterThan(100);
    expect(given.filter((piece) => !/[\r\n]$/.test(piece))).toEqual([]);
    expect(pieces.filter((piece, at) => piece.startsWith("\n") && pieces[at - 1]?.endsWith("\r"))).toEqual([]);
  });

  it.each(["x", "é", "\u0a0a"])("keeps a bounded part of a line that never ends: %j", (character) => {
    for (const encoding of ["utf8", "utf16le"] as const) {
      const bytes = Buffer.from(`\ufeff${character.repeat(3 * LONGEST_LINE)}\nnext\n`, encoding);
      const { pieces, foreignLines } = inPieces(bytes, [LONGEST_LINE / 2 + 1]);
      const [line = "", next] = pieces.join("").split("\n");
      expect(line.length).toBeLessThanOrEqual(2 * LONGEST_LINE);
      expect(new Set(line)).toEqual(new Set([character]));
      expect(next).toBe("next");
      expect(foreignLines).toBe(0);
    }
  });
});
