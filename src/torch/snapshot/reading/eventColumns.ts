/** Events as they are read, one row each; a device's are a range of rows. */
import type { Budget } from "../../pickle/limits.ts";
import type { EventTable } from "../model.ts";
import { halvesOf, setAddress } from "./addresses.ts";

/** Of a row in all columns, with what they grow ahead, and of what allocationsOf and heldOver make of it. */
const ROW_COST = 120;
/** Of a place in a Map. */
const FREE_COST = 64;

export interface EventRow {
  readonly action: number;
  readonly address: number | bigint;
  readonly size: number;
  readonly stack: number;
  readonly timeUs: number;
  readonly deviceFree: number;
}

export interface EventColumns {
  readonly length: number;
  add(row: EventRow): void;
  /** The rows from `from` up to `to`, of which none was in a table before. */
  table(device: number, from: number, to: number): EventTable;
}

export interface EventColumnsOptions {
  /** Of the columns, and of JavaScript's heap. */
  readonly columns: Budget;
  readonly heap: Budget;
  /** How much of the file is read: 0 to 1, or 0 where its length is not known. */
  readonly read: () => number;
}

export function createEventColumns({ columns: budget, heap, read }: EventColumnsOptions): EventColumns {
  let capacity = 0;
  let length = 0;
  let columns = allocate(0);
  const deviceFree = new Map<number, number>();

  /** By what is still to come, as a copy needs both: memory that is never written to is not taken from the machine. */
  function grow(): void {
    const share = read();
    const ahead = share > 0 ? Math.min(MOST_AHEAD, 1.1 / share) : 0;
    capacity = Math.max(4096, Math.ceil(capacity * Math.max(1.5, ahead)));
    const longer = allocate(capacity);
    longer.action.set(columns.action);
    longer.address.set(columns.address);
    longer.size.set(columns.size);
    longer.stack.set(columns.stack);
    longer.timeUs.set(columns.timeUs);
    columns = longer;
  }

  return {
    get length() {
      return length;
    },
    add(row) {
      budget.take(ROW_COST);
      if (length === capacity) grow();
      columns.action[length] = row.action;
      setAddress(columns.halves, length, row.address);
      columns.size[length] = row.size;
      columns.stack[length] = row.stack;
      columns.timeUs[length] = row.timeUs;
      if (!Number.isNaN(row.deviceFree)) {
        heap.take(FREE_COST);
        deviceFree.set(length, row.deviceFree);
      }
      length++;
    },
    table(device, from, to) {
      const own = new Map<number, number>();
      for (const [row, bytes] of deviceFree) {
        if (row >= to) break;
        own.set(row - from, bytes);
        deviceFree.delete(row);
      }
      return {
        device,
        action: columns.action.subarray(from, to),
        address: columns.address.subarray(from, to),
        size: columns.size.subarray(from, to),
        stack: columns.stack.subarray(from, to),
        timeUs: columns.timeUs.subarray(from, to),
        deviceFree: own,
      };
    },
  };
}

/** A file may begin with what is denser than the rest. */
const MOST_AHEAD = 16;

function allocate(rows: number) {
  const address = new BigUint64Array(rows);
  return {
    action: new Uint8Array(rows),
    address,
    halves: halvesOf(address),
    size: new Float64Array(rows),
    stack: new Int32Array(rows),
    timeUs: new Float64Array(rows),
  };
}
