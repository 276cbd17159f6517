/** A device of a snapshot with what is worked out of its events once. */
import { heldOver, maximumOf } from "./activeMemory.ts";
import { type Allocations, allocationsOf } from "./allocations.ts";
import type { EventTable, Snapshot } from "./model.ts";
import { type OutOfMemory, outOfMemories } from "./outOfMemory.ts";
import { devicesOf, type Totals, totalsOf } from "./totals.ts";

export interface DeviceMemory {
  readonly device: number;
  readonly totals: Totals;
  readonly allocations: Allocations;
  /** Bytes at each moment, 0 to the number of events. */
  readonly held: Float64Array;
  readonly maximum: { readonly moment: number; readonly bytes: number };
  readonly outOfMemory: readonly OutOfMemory[];
  /** Milliseconds from the first event to the last one before the moment; undefined where the file has no times. */
  timeAt(moment: number): number | undefined;
}

/** All devices of a snapshot, by their numbers. */
export function deviceMemories(snapshot: Snapshot): DeviceMemory[] {
  return devicesOf(snapshot).map((device) => {
    const table = snapshot.events.find((events) => events.device === device);
    const allocations = allocationsOf(snapshot, device);
    const held = heldOver(allocations);
    return {
      device,
      totals: totalsOf(snapshot, device),
      allocations,
      held,
      maximum: maximumOf(held),
      outOfMemory: table === undefined ? [] : outOfMemories(table),
      timeAt: (moment) => timeAt(table, moment),
    };
  });
}

function timeAt(table: EventTable | undefined, moment: number): number | undefined {
  const [first] = table?.timeUs ?? [];
  const time = table?.timeUs[Math.max(0, moment - 1)];
  if (first === undefined || time === undefined || Number.isNaN(first) || Number.isNaN(time)) return undefined;
  return Math.max(0, time - first) / 1000;
}
