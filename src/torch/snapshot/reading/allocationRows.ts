/** Allocations as they are found, a row each, in columns: a file may have millions. */

import type { Allocations } from "../allocations.ts";
import { halvesOf, setAddress } from "./addresses.ts";

type Columns = Omit<Allocations, "device" | "events" | "problems">;

export interface AllocationRows {
  /** One that is live from `start` on. @returns its row */
  add(address: number | bigint, size: number, start: number, stack: number): number;
  setBlock(row: number, size: number): void;
  free(row: number, moment: number): void;
  /** Also frees it, where that was not said before. */
  end(row: number, moment: number): void;
  sizeOf(row: number): number;
  /** In the order in which they began; of those from before the first event, the last that ended comes first. */
  columns(): Columns;
}

/** @param never the moment of what does not happen */
export function createAllocationRows(never: number): AllocationRows {
  let length = 0;
  let rows = allocate(1024);
  let halves = halvesOf(rows.address);

  function grow(): void {
    const longer = allocate(Math.ceil(1.5 * length));
    copy(rows, longer, (row) => row, length);
    rows = longer;
    halves = halvesOf(rows.address);
  }

  return {
    add(address, size, start, stack) {
      if (length === rows.size.length) grow();
      setAddress(halves, length, address);
      rows.size[length] = size;
      rows.block[length] = Number.NaN;
      rows.start[length] = start;
      rows.freed[length] = never;
      rows.end[length] = never;
      rows.stack[length] = stack;
      return length++;
    },
    setBlock(row, size) {
      rows.block[row] = size;
    },
    free(row, moment) {
      rows.freed[row] = Math.min(rows.freed[row] ?? never, moment);
    },
    end(row, moment) {
      rows.end[row] = moment;
      this.free(row, moment);
    },
    sizeOf: (row) => rows.size[row] ?? 0,
    columns() {
      const before: number[] = [];
      const begun: number[] = [];
      for (let row = 0; row < length; row++) (rows.start[row] === 0 ? before : begun).push(row);
      before.sort((a, b) => (rows.end[b] ?? 0) - (rows.end[a] ?? 0));
      const order = Uint32Array.from(before.concat(begun));
      const ordered = allocate(length);
      copy(rows, ordered, (place) => order[place] ?? 0, length);
      return ordered;
    },
  };
}

function allocate(length: number): Columns {
  return {
    address: new BigUint64Array(length),
    size: new Float64Array(length),
    block: new Float64Array(length),
    start: new Uint32Array(length),
    freed: new Uint32Array(length),
    end: new Uint32Array(length),
    stack: new Int32Array(length),
  };
}

function copy(from: Columns, to: Columns, rowOf: (place: number) => number, length: number): void {
  for (let place = 0; place < length; place++) {
    const row = rowOf(place);
    to.address[place] = from.address[row] ?? 0n;
    to.size[place] = from.size[row] ?? 0;
    to.block[place] = from.block[row] ?? 0;
    to.start[place] = from.start[row] ?? 0;
    to.freed[place] = from.freed[row] ?? 0;
    to.end[place] = from.end[row] ?? 0;
    to.stack[place] = from.stack[row] ?? 0;
  }
}
