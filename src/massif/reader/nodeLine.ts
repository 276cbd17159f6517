/** A line of a snapshot's tree: `  n2: 11000004 0x48C3B7F: PyByteArray_Resize (bytearrayobject.c:250)`. */

const BLANK = 32;
const FOUR_BLANKS = 0x20202020;
const LETTER_N = 110;
const COLON = 58;
const ZERO = 48;

/**
 * Reads one after the other; one object for all, because there are millions of them. From a DataView, which is the same
 * kind of object whatever kind of array holds the bytes, so that the compiled code need not tell them apart.
 */
export class NodeLine {
  /** Blanks before it; 0 for the root. */
  depth = 0;
  /** Nodes that follow one level deeper. */
  children = 0;
  bytes = 0;
  /** Where the label begins in the bytes that were read; it goes to the line's end. */
  label = 0;

  /**
   * Reads the line that begins at `from`; it ends at `to` or before. False where it is no node, or holds a number above
   * 2^53, which could not be shown exactly.
   */
  read(line: DataView, from: number, to: number): boolean {
    let at = from;
    while (at + 4 <= to && line.getInt32(at, true) === FOUR_BLANKS) at += 4;
    while (at < to && line.getUint8(at) === BLANK) at++;
    if (at >= to || line.getUint8(at) !== LETTER_N) return false;
    this.depth = at - from;
    at = this.#digits(line, at + 1, to);
    this.children = this.#number;
    if (at + 2 >= to || line.getUint8(at) !== COLON || line.getUint8(at + 1) !== BLANK) return false;
    at = this.#digits(line, at + 2, to);
    this.bytes = this.#number;
    this.label = at + 1;
    return this.label < to && line.getUint8(at) === BLANK && this.children >= 0 && this.bytes >= 0;
  }

  /** What #digits found; -1 where there were none or too many. */
  #number = 0;

  /** @returns where the digits that begin at `from` end */
  #digits(line: DataView, from: number, to: number): number {
    let at = from;
    let value = 0;
    while (at < to) {
      const digit = line.getUint8(at) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      at++;
    }
    this.#number = at > from && value <= Number.MAX_SAFE_INTEGER ? value : -1;
    return at;
  }
}
