/** The moment at which a device held the most, and which operators had allocated it. */
import { callPath } from "./calls.ts";
import type { MemoryTrace, TraceDevice } from "./model.ts";

/** Place of the event after which the most was allocated, the first of them; -1 for a device without events. */
export function peakOf({ allocated }: TraceDevice): number {
  let peak = -1;
  for (const [event, total] of allocated.entries()) {
    if (peak < 0 || total > (allocated[peak] ?? 0)) peak = event;
  }
  return peak;
}

export interface Holding {
  /** The operators around the allocation, outermost first; empty: none ran. */
  readonly path: readonly string[];
  readonly bytes: number;
  readonly allocations: number;
}

export interface Held {
  /** Heaviest first. */
  readonly holdings: readonly Holding[];
  /** What the trace does not show being allocated: it was there before, or its event was not read. Never negative. */
  readonly before: number;
}

/** What is allocated after an event, by the operators that allocated it. */
export function heldAt(device: TraceDevice, event: number, { calls }: Pick<MemoryTrace, "calls">): Held {
  const live = new Map<number, { readonly bytes: number; readonly call: number }>();
  for (let at = 0; at <= event; at += 1) {
    const [address = Number.NaN, bytes = 0, call = -1] = [device.address[at], device.bytes[at], device.call[at]];
    if (Number.isNaN(address)) continue;
    if (bytes > 0) live.set(address, { bytes, call });
    else live.delete(address);
  }
  const byCall = new Map<number, { bytes: number; allocations: number }>();
  for (const { bytes, call } of live.values()) {
    const sum = byCall.get(call) ?? { bytes: 0, allocations: 0 };
    byCall.set(call, { bytes: sum.bytes + bytes, allocations: sum.allocations + 1 });
  }
  const holdings = [...byCall].map(([call, sum]) => ({ path: callPath(calls, call), ...sum }));
  holdings.sort((a, b) => b.bytes - a.bytes || (a.path.join() < b.path.join() ? -1 : 1));
  const seen = holdings.reduce((sum, { bytes }) => sum + bytes, 0);
  return { holdings, before: Math.max(0, (device.allocated[event] ?? 0) - seen) };
}
