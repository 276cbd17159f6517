/** Numbers of which nobody knows beforehand how many there are. */
export interface Column {
  readonly length: number;
  push(value: number): void;
  /** Undefined past the end. */
  at(place: number): number | undefined;
  /** Those at the given places, in that order. */
  pick(places: Iterable<number>, count: number): Float64Array;
}

const FIRST_ROOM = 1024;

export function createColumn(): Column {
  let values = new Float64Array(FIRST_ROOM);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === values.length) {
        const larger = new Float64Array(2 * length);
        larger.set(values);
        values = larger;
      }
      values[length] = value;
      length += 1;
    },
    at: (place) => (place < length ? values[place] : undefined),
    pick(places, count) {
      const picked = new Float64Array(count);
      let next = 0;
      for (const place of places) {
        picked[next] = values[place] ?? Number.NaN;
        next += 1;
      }
      return picked;
    },
  };
}
