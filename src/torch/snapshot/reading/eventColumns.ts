/** Events as they are read, one row each; a device's are a range of rows. */
import type { Budget } from "../../pickle/limits.ts";
import type { EventTable } from "../model.ts";
import { halvesOf, setAddress } from "./addresses.ts";

/** Of a row in all columns, with what they grow ahead, and of what allocationsOf and heldOver make of it. */
const ROW_COST = 200;

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
  /** The rows from `from` up to `to`. */
  table(device: number, from: number, to: number): EventTable;
}

export function createEventColumns(budget: Budget): EventColumns {
  let capacity = 0;
  let length = 0;
  let columns = allocate(0);

  function grow(): void {
    capacity = Math.max(4096, Math.ceil(capacity * 1.5));
    const longer = allocate(capacity);
    longer.action.set(columns.action);
    longer.address.set(columns.address);
    longer.size.set(columns.size);
    longer.stack.set(columns.stack);
    longer.timeUs.set(columns.timeUs);
    longer.deviceFree.set(columns.deviceFree);
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
      columns.deviceFree[length] = row.deviceFree;
      length++;
    },
    table(device, from, to) {
      return {
        device,
        action: columns.action.subarray(from, to),
        address: columns.address.subarray(from, to),
        size: columns.size.subarray(from, to),
        stack: columns.stack.subarray(from, to),
        timeUs: columns.timeUs.subarray(from, to),
        deviceFree: columns.deviceFree.subarray(from, to),
      };
    },
  };
}

function allocate(rows: number) {
  const address = new BigUint64Array(rows);
  return {
    action: new Uint8Array(rows),
    address,
    halves: halvesOf(address),
    size: new Float64Array(rows),
    stack: new Int32Array(rows),
    timeUs: new Float64Array(rows),
    deviceFree: new Float64Array(rows),
  };
}
