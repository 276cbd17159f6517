/**
 * Which row is live at an address, in columns: a Map of ten million addresses takes a gigabyte, and much time. An
 * address that was once in use keeps its place.
 */

const NONE = -1;

export interface OpenRows {
  /** @returns the address's place */
  placeOf(low: number, high: number): number;
  /** The row that is live there, -1: none. */
  get(place: number): number;
  set(place: number, row: number): void;
  /** All that are live. */
  rows(): Iterable<number>;
}

/** @param random gives numbers from 0 to 1: nobody who makes a file knows which addresses fall together */
export function createOpenRows(random: () => number): OpenRows {
  let length = 0;
  let addresses = new Uint32Array(0);
  let row = new Int32Array(0);
  /** One more than the place of the address, 0: free. Its length is a power of two. */
  let slots = new Int32Array(0);
  let shift = 32;
  const odd = () => Math.floor(random() * 2 ** 32) | 1;
  const [first, second, third] = [odd(), odd(), odd()];

  /** The slot that has the address, or where it may be put. */
  function slotOf(low: number, high: number): number {
    let mixed = Math.imul(low, first) + Math.imul(high, second);
    mixed = Math.imul(mixed ^ (mixed >>> 15), third) >>> shift;
    for (;;) {
      const place = (slots[mixed] ?? 0) - 1;
      if (place < 0 || (addresses[2 * place] === low && addresses[2 * place + 1] === high)) return mixed;
      mixed = (mixed + 1) & (slots.length - 1);
    }
  }

  function grow(): void {
    const capacity = Math.max(1024, 2 * row.length);
    const longer = new Uint32Array(2 * capacity);
    longer.set(addresses);
    addresses = longer;
    const rows = new Int32Array(capacity);
    rows.set(row);
    row = rows;
    slots = new Int32Array(2 * capacity);
    shift = 32 - Math.log2(slots.length);
    for (let place = 0; place < length; place++) {
      slots[slotOf(addresses[2 * place] ?? 0, addresses[2 * place + 1] ?? 0)] = place + 1;
    }
  }

  grow();
  return {
    placeOf(low, high) {
      const slot = slotOf(low, high);
      const known = (slots[slot] ?? 0) - 1;
      if (known >= 0) return known;
      if (length === row.length) {
        grow();
        return this.placeOf(low, high);
      }
      slots[slot] = length + 1;
      addresses[2 * length] = low;
      addresses[2 * length + 1] = high;
      row[length] = NONE;
      return length++;
    },
    get: (place) => row[place] ?? NONE,
    set(place, value) {
      row[place] = value;
    },
    *rows() {
      for (let place = 0; place < length; place++) {
        const live = row[place] ?? NONE;
        if (live !== NONE) yield live;
      }
    },
  };
}
