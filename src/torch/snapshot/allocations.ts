/**
 * When each piece of a device's memory was taken and given back, from the recorded events and from what was live when
 * the snapshot was taken. A *moment* is a number of events: moment n is right after the first n of them.
 *
 * PyTorch keeps the latest events only. What was live before the first one shows when it is freed, or because it is
 * still there at the end without having been allocated in between.
 */
import { formatBytes, formatCount } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import { ACTIONS, type EventTable, type Segment, type Snapshot } from "./model.ts";
import { halvesOf } from "./reading/addresses.ts";
import { type AllocationRows, createAllocationRows } from "./reading/allocationRows.ts";
import { createOpenRows, type OpenRows } from "./reading/openRows.ts";
import { segmentsOf } from "./totals.ts";

export interface Allocations {
  readonly device: number;
  /** The last moment, when the snapshot was taken. */
  readonly events: number;
  readonly address: BigUint64Array;
  /** As the program asked for it, which is what events say; the block's where nothing else is known. */
  readonly size: Float64Array;
  /** The block's; NaN where the file does not say. */
  readonly block: Float64Array;
  /** Live from this moment on; 0: before the first event. Ascending. */
  readonly start: Uint32Array;
  /** From this moment on freed, but maybe awaiting another stream; `events` + 1: not freed. */
  readonly freed: Uint32Array;
  /** Live until before this moment; `events` + 1: not given back. */
  readonly end: Uint32Array;
  /** Place in the snapshot's stacks; -1: not known. */
  readonly stack: Int32Array;
  /** Where events and final state do not fit, whole sentences. */
  readonly problems: readonly string[];
}

const [ALLOC, FREE_REQUESTED, FREE_COMPLETED] = (["alloc", "free_requested", "free_completed"] as const).map((action) =>
  ACTIONS.indexOf(action),
);

export function allocationsOf(snapshot: Snapshot, device: number): Allocations {
  const table = snapshot.events.find((events) => events.device === device);
  const segments = segmentsOf(snapshot, device);
  const events = table?.action.length ?? 0;
  const rows = createAllocationRows(events + 1, expectedRows(table, segments));
  const open = createOpenRows(Math.random);
  const twice = table === undefined ? 0 : replay(table, rows, open);

  for (const { blocks } of segments) {
    for (const { address, size, requested, state, stack } of blocks) {
      if (state === "inactive") continue;
      const [low, high] = [Number(address & 0xffff_ffffn), Number(address >> 32n)];
      const place = open.placeOf(low, high);
      let row = open.get(place);
      open.set(place, NOT_OPEN);
      if (row === NOT_OPEN) {
        row = rows.add(low, high, requested ?? size, 0, stack);
        if (state !== "active_allocated") rows.free(row, 0);
      }
      rows.setBlock(row, size);
    }
  }
  // By now only those are open that are not there in the end.
  let lostBytes = 0;
  let lost = 0;
  for (const row of open.rows()) {
    rows.end(row, events);
    lostBytes += rows.sizeOf(row);
    lost++;
  }
  return { device, events, ...rows.columns(), problems: [...lostFrees(lost, lostBytes), ...doubles(twice)] };
}

const NOT_OPEN = -1;

/** What was allocated before the first event is seen in the end, but for what was freed meanwhile. */
function expectedRows(table: EventTable | undefined, segments: readonly Segment[]): number {
  let count = 1024;
  for (const action of table?.action ?? []) if (action === ALLOC) count++;
  return segments.reduce((sum, { blocks }) => sum + blocks.length, count);
}

/**
 * @param open what is live after the last event is left in it
 * @returns how often an address was allocated while it was live
 */
function replay(table: EventTable, rows: AllocationRows, open: OpenRows): number {
  const { action: actions, size: sizes, stack: stacks } = table;
  const halves = halvesOf(table.address);
  let twice = 0;
  for (let event = 0; event < actions.length; event++) {
    const action = actions[event];
    if (action !== ALLOC && action !== FREE_REQUESTED && action !== FREE_COMPLETED) continue;
    const low = halves[2 * event] ?? 0;
    const high = halves[2 * event + 1] ?? 0;
    const size = sizes[event] ?? 0;
    const moment = event + 1;
    const place = open.placeOf(low, high);
    const known = open.get(place);
    if (action === ALLOC) {
      if (known !== NOT_OPEN) {
        twice++;
        rows.end(known, moment);
      }
      open.set(place, rows.add(low, high, size, moment, stacks[event] ?? -1));
      continue;
    }
    // Of what was live before the first event: the stack of a freeing event may be the one that freed.
    const row = known === NOT_OPEN ? rows.add(low, high, size, 0, -1) : known;
    if (action === FREE_REQUESTED) {
      rows.free(row, moment);
      open.set(place, row);
    } else {
      rows.end(row, moment);
      open.set(place, NOT_OPEN);
    }
  }
  return twice;
}

function lostFrees(count: number, bytes: number): string[] {
  if (count === 0) return [];
  return [
    t(
      "{0} allocations, {1} in all, were freed without an event: they are shown until the end, where the snapshot no longer has them.",
      formatCount(count),
      formatBytes(bytes),
    ),
  ];
}

function doubles(count: number): string[] {
  if (count === 0) return [];
  return [
    t(
      "{0} times an address was allocated that was in use by the events before: the freeing is not recorded, and shown where the next use begins.",
      formatCount(count),
    ),
  ];
}
