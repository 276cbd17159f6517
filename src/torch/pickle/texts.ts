/** Texts of a file, equal short ones made once: a snapshot says `alloc` a million times. */

const LONGEST = 64;
const SLOTS = 1 << 14;

export interface Texts {
  /** Bytes that are no UTF-8 become U+FFFD. `fresh` says whether the last text was made for this call. */
  read(bytes: Uint8Array, from: number, to: number): string;
  readonly fresh: boolean;
}

/** @param known what the file is likely to say; comparing with the very same text is faster */
export function createTexts(known: readonly string[]): Texts {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const slots = new Array<string>(SLOTS).fill("");
  const encoder = new TextEncoder();
  for (const text of known) {
    const bytes = encoder.encode(text);
    slots[hash(bytes, 0, bytes.length)] = text;
  }
  const texts = {
    fresh: false,
    read(bytes: Uint8Array, from: number, to: number): string {
      const short = to - from <= LONGEST;
      const slot = short ? hash(bytes, from, to) : 0;
      const found = slots[slot] ?? "";
      texts.fresh = !(short && isSame(found, bytes, from, to));
      if (!texts.fresh) return found;
      const text = decoder.decode(bytes.subarray(from, to));
      if (short) slots[slot] = text;
      return text;
    },
  };
  return texts;
}

function hash(bytes: Uint8Array, from: number, to: number): number {
  let sum = to - from;
  for (let at = from; at < to; at++) sum = Math.imul(sum ^ (bytes[at] ?? 0), 0x01000193);
  return (sum ^ (sum >>> 15)) & (SLOTS - 1);
}

/** Only ASCII is compared: a text of other characters is decoded each time. */
function isSame(text: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > 127 || text.charCodeAt(at - from) !== byte) return false;
  }
  return true;
}
