/** Allocations as they are found, a row each, in columns: a file may have millions. */

import type { Allocations } from "../allocations.ts";
import { halvesOf } from "./addresses.ts";

type Columns = Omit<Allocations, "device" | "events" | "problems">;

export interface AllocationRows {
  /** One that is live from `start` on. @returns its row */
  add(low: number, high: number, size: number, start: number, stack: number): number;
  setBlock(row: number, size: number): void;
  free(row: number, moment: number): void;
  /** Also frees it, where that was not said before. */
  end(row: number, moment: number): void;
  sizeOf(row: number): number;
  /** In the order in which they began; of those from before the first event, the last that ended comes first. */
  columns(): Columns;
}

/**
 * @param never the moment of what does not happen
 * @param expected about how many: memory for rows that do not come is not taken from the machine
 */
export function createAllocationRows(never: number, expected: number): AllocationRows {
  let length = 0;
  let rows = allocate(Math.max(1024, expected));
  let halves = halvesOf(rows.address);

  function grow(): void {
    const longer = allocate(Math.ceil(1.5 * length));
    copyTo(longer, rows);
    rows = longer;
    halves = halvesOf(rows.address);
  }

  return {
    add(low, high, size, start, stack) {
      if (length === rows.size.length) grow();
      halves[2 * length] = low;
      halves[2 * length + 1] = high;
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
      for (let row = 0; row < length; row++) if (rows.start[row] === 0) before.push(row);
      before.sort((a, b) => (rows.end[b] ?? 0) - (rows.end[a] ?? 0));
      const first = allocate(before.length);
      before.forEach((row, place) => {
        copyRow(rows, row, first, place);
      });
      // The others move behind them, in their order and in place: a second set of columns would be as large.
      let place = length;
      for (let row = length - 1; row >= 0; row--) if (rows.start[row] !== 0) copyRow(rows, row, rows, --place);
      copyTo(rows, first);
      return upTo(rows, length);
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

function upTo({ address, size, block, start, freed, end, stack }: Columns, length: number): Columns {
  return {
    address: address.subarray(0, length),
    size: size.subarray(0, length),
    block: block.subarray(0, length),
    start: start.subarray(0, length),
    freed: freed.subarray(0, length),
    end: end.subarray(0, length),
    stack: stack.subarray(0, length),
  };
}

/** All of `from`, to the beginning of `to`. */
function copyTo(to: Columns, from: Columns): void {
  to.address.set(from.address);
  to.size.set(from.size);
  to.block.set(from.block);
  to.start.set(from.start);
  to.freed.set(from.freed);
  to.end.set(from.end);
  to.stack.set(from.stack);
}

function copyRow(from: Columns, row: number, to: Columns, place: number): void {
  to.address[place] = from.address[row] ?? 0n;
  to.size[place] = from.size[row] ?? 0;
  to.block[place] = from.block[row] ?? 0;
  to.start[place] = from.start[row] ?? 0;
  to.freed[place] = from.freed[row] ?? 0;
  to.end[place] = from.end[row] ?? 0;
  to.stack[place] = from.stack[row] ?? 0;
}
