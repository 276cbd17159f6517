/** The distinct labels of a tree. Most lines repeat one of a few thousand, so most are recognized by their bytes. */

/** Of a longer label the middle is left out: its end says where the function is. */
const MAX_LABEL_BYTES = 64 * 1024;
const LABEL_END_BYTES = 4 * 1024;
/** Places of the table that is asked first; a power of two. */
const RECENT = 16_384;
const NO_LABEL = -1;

export class LabelTable {
  readonly all: string[] = [];
  readonly #index = new Map<string, number>();
  readonly #decoder = new TextDecoder("utf-8");
  /** The label that last came with a hash. Whether it is the same one again is then seen by comparing the bytes. */
  readonly #recent = new Int32Array(RECENT).fill(NO_LABEL);
  /** The bytes that were read for each recent label, one after the other. */
  readonly #known = new ByteStore();
  readonly #knownStart: number[] = [];
  readonly #knownEnd: number[] = [];
  #characters = 0;

  /** Of all labels together. */
  get characters(): number {
    return this.#characters;
  }

  /** Index of the label in `line` from `from` to `to`; bytes that are no UTF-8 are replaced. */
  read(line: DataView, from: number, to: number): number {
    const hash = hashOf(line, from, to) & (RECENT - 1);
    const recent = this.#recent[hash] ?? NO_LABEL;
    if (recent !== NO_LABEL) {
      const start = this.#knownStart[recent] ?? 0;
      const end = this.#knownEnd[recent] ?? 0;
      if (end - start === to - from && this.#known.holds(start, line, from, to)) return recent;
    }
    return this.#readAnew(line, from, to, hash);
  }

  add(text: string): number {
    const known = this.#index.get(text);
    if (known !== undefined) return known;
    const index = this.all.length;
    this.all.push(text);
    this.#index.set(text, index);
    this.#knownStart.push(0);
    this.#knownEnd.push(0);
    this.#characters += text.length;
    return index;
  }

  #readAnew(line: DataView, from: number, to: number, hash: number): number {
    const bytes = new Uint8Array(line.buffer, line.byteOffset + from, to - from);
    const index = this.add(this.#decode(bytes));
    // Another spelling of the label (bytes that are no UTF-8) is not kept as well.
    if (this.#knownEnd[index] === 0 && bytes.length <= MAX_LABEL_BYTES) {
      this.#knownStart[index] = this.#known.length;
      this.#known.append(bytes);
      this.#knownEnd[index] = this.#known.length;
    }
    this.#recent[hash] = index;
    return index;
  }

  #decode(bytes: Uint8Array): string {
    if (bytes.length <= MAX_LABEL_BYTES) return this.#decoder.decode(bytes);
    const start = bytes.subarray(0, MAX_LABEL_BYTES - LABEL_END_BYTES);
    const end = bytes.subarray(-LABEL_END_BYTES);
    return `${this.#decoder.decode(start)}…${this.#decoder.decode(end)}`;
  }
}

class ByteStore {
  #bytes = new Uint8Array(64 * 1024);
  #view = new DataView(this.#bytes.buffer);
  length = 0;

  append(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.length + bytes.length));
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Whether the bytes of `line` from `from` to `to` are those from `start` on; four at a time. */
  holds(start: number, line: DataView, from: number, to: number): boolean {
    const view = this.#view;
    let at = from;
    const shift = start - from;
    while (at + 4 <= to) {
      if (line.getInt32(at, true) !== view.getInt32(at + shift, true)) return false;
      at += 4;
    }
    while (at < to) {
      if (line.getUint8(at) !== view.getUint8(at + shift)) return false;
      at++;
    }
    return true;
  }
}

/** From the address at a label's beginning and from its end, where labels of one address (inlined code) differ. */
function hashOf(line: DataView, from: number, to: number): number {
  const length = to - from;
  if (length < 10) return length;
  let hash = Math.imul(length ^ line.getInt32(from + 2, true), 0x9e3779b1);
  hash = Math.imul((hash ^ (hash >>> 15)) + line.getInt32(from + 6, true), 0x85ebca6b);
  hash = Math.imul((hash ^ (hash >>> 13)) + line.getInt32(to - 5, true), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
