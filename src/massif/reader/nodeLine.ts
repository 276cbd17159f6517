/** A line of a snapshot's tree: `  n2: 11000004 0x48C3B7F: PyByteArray_Resize (bytearrayobject.c:250)`. */

const BLANK = 32;
const LETTER_N = 110;
const COLON = 58;
const ZERO = 48;

/** Reads one after the other; one object for all, because there are millions of them. */
export class NodeLine {
  /** Blanks before it; 0 for the root. */
  depth = 0;
  /** Nodes that follow one level deeper. */
  children = 0;
  bytes = 0;
  /** Where the label begins in the bytes that were read; it goes to the line's end. */
  label = 0;

  /** False where the line is no node, or holds a number above 2^53, which could not be shown exactly. */
  read(line: Uint8Array, from: number, to: number): boolean {
    let at = from;
    while (at < to && line[at] === BLANK) at++;
    this.depth = at - from;
    if (line[at] !== LETTER_N) return false;

    const childrenEnd = digitsEnd(line, at + 1, to);
    this.children = readDigits(line, at + 1, childrenEnd);
    if (childrenEnd + 1 >= to || line[childrenEnd] !== COLON || line[childrenEnd + 1] !== BLANK) return false;

    const bytesEnd = digitsEnd(line, childrenEnd + 2, to);
    this.bytes = readDigits(line, childrenEnd + 2, bytesEnd);
    if (bytesEnd + 1 >= to || line[bytesEnd] !== BLANK) return false;
    this.label = bytesEnd + 1;
    return this.children >= 0 && this.bytes >= 0;
  }
}

function digitsEnd(line: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const digit = (line[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) break;
    at++;
  }
  return at;
}

/** The number in decimal digits; -1 where there is none or it is above 2^53. */
export function readDigits(line: Uint8Array, from: number, to: number): number {
  if (to <= from) return -1;
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = (line[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
    if (value > Number.MAX_SAFE_INTEGER) return -1;
  }
  return value;
}
