/**
 * When each piece of a device's memory was taken and given back, from the recorded events and from what was live when
 * the snapshot was taken. A *moment* is a number of events: moment n is right after the first n of them.
 *
 * PyTorch keeps the latest events only. What was live before the first one shows when it is freed, or because it is
 * still there at the end without having been allocated in between.
 */
import { formatBytes, formatCount } from "../../profile/format.ts";
import { ACTIONS, type EventTable, type Snapshot } from "./model.ts";
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

interface Open {
  readonly address: bigint;
  size: number;
  block: number;
  readonly start: number;
  freed: number;
  end: number;
  readonly stack: number;
}

const [ALLOC, FREE_REQUESTED, FREE_COMPLETED] = (["alloc", "free_requested", "free_completed"] as const).map((action) =>
  ACTIONS.indexOf(action),
);

export function allocationsOf(snapshot: Snapshot, device: number): Allocations {
  const table = snapshot.events.find((events) => events.device === device);
  const events = table?.action.length ?? 0;
  const { before, begun, open, twice } = table === undefined ? NOTHING() : replay(table);
  const notFreed = events + 1;

  for (const { blocks } of segmentsOf(snapshot, device)) {
    for (const { address, size, requested, state, stack } of blocks) {
      if (state === "inactive") continue;
      const key = keyOf(address);
      const known = open.get(key);
      open.delete(key);
      if (known !== undefined) known.block = size;
      else {
        const freed = state === "active_allocated" ? notFreed : 0;
        before.push({ address, size: requested ?? size, block: size, start: 0, freed, end: notFreed, stack });
      }
    }
  }
  // By now only those are open that are not there in the end.
  for (const allocation of open.values()) {
    allocation.end = events;
    allocation.freed = Math.min(allocation.freed, events);
  }
  before.sort((a, b) => b.end - a.end);
  return columns(device, events, [...before, ...begun], [...lostFrees([...open.values()]), ...doubles(twice)]);
}

interface Replayed {
  readonly before: Open[];
  readonly begun: Open[];
  readonly open: Map<number | bigint, Open>;
  /** Addresses that were allocated while they were live. */
  twice: number;
}

const NOTHING = (): Replayed => ({ before: [], begun: [], open: new Map(), twice: 0 });

function replay(table: EventTable): Replayed {
  const { action: actions, size: sizes, stack: stacks } = table;
  const halves = new Uint32Array(table.address.buffer, table.address.byteOffset, 2 * table.address.length);
  const notFreed = actions.length + 1;
  const replayed = NOTHING();
  const { before, begun, open } = replayed;
  for (let event = 0; event < actions.length; event++) {
    const action = actions[event];
    if (action !== ALLOC && action !== FREE_REQUESTED && action !== FREE_COMPLETED) continue;
    const key = keyAt(halves, event);
    const moment = event + 1;
    let known = open.get(key);
    if (action === ALLOC) {
      if (known !== undefined) {
        replayed.twice++;
        known.end = moment;
        known.freed = Math.min(known.freed, moment);
      }
      const allocation = {
        address: BigInt(key),
        size: sizes[event] ?? 0,
        block: Number.NaN,
        start: moment,
        freed: notFreed,
        end: notFreed,
        stack: stacks[event] ?? -1,
      };
      open.set(key, allocation);
      begun.push(allocation);
      continue;
    }
    if (known === undefined) {
      // The stack of a freeing event may be the one that freed.
      const size = sizes[event] ?? 0;
      known = { address: BigInt(key), size, block: Number.NaN, start: 0, freed: notFreed, end: notFreed, stack: -1 };
      before.push(known);
      open.set(key, known);
    }
    known.freed = Math.min(known.freed, moment);
    if (action === FREE_COMPLETED) {
      known.end = moment;
      open.delete(key);
    }
  }
  return replayed;
}

const EXACT_HIGH = 2 ** 21;

/** Little-endian halves as a number where it is below 2^53: BigInts make slow keys. */
function keyAt(halves: Uint32Array, event: number): number | bigint {
  const low = halves[2 * event] ?? 0;
  const high = halves[2 * event + 1] ?? 0;
  return high < EXACT_HIGH ? high * 2 ** 32 + low : (BigInt(high) << 32n) | BigInt(low);
}

function keyOf(address: bigint): number | bigint {
  return address <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(address) : address;
}

function columns(device: number, events: number, all: readonly Open[], problems: readonly string[]): Allocations {
  return {
    device,
    events,
    address: BigUint64Array.from(all, ({ address }) => address),
    size: Float64Array.from(all, ({ size }) => size),
    block: Float64Array.from(all, ({ block }) => block),
    start: Uint32Array.from(all, ({ start }) => start),
    freed: Uint32Array.from(all, ({ freed }) => freed),
    end: Uint32Array.from(all, ({ end }) => end),
    stack: Int32Array.from(all, ({ stack }) => stack),
    problems,
  };
}

function lostFrees(lost: readonly Open[]): string[] {
  if (lost.length === 0) return [];
  const bytes = lost.reduce((sum, { size }) => sum + size, 0);
  return [
    `${formatCount(lost.length)} allocations of together ${formatBytes(bytes)} were freed without an event: they are shown until the end, where the snapshot has them no more.`,
  ];
}

function doubles(count: number): string[] {
  if (count === 0) return [];
  return [
    `${formatCount(count)} times an address was allocated that was in use by the events before: the freeing is not recorded, and shown where the next use begins.`,
  ];
}
