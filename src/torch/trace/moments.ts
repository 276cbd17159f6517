/** A trace thinned to so many moments that it can be drawn: none of the peaks is lost. */
import { callPath } from "./calls.ts";
import type { MemoryTrace, TraceDevice } from "./model.ts";
import { peakOf } from "./peak.ts";

/** One event, with what each device held after it. */
export interface TraceMoment {
  /** Milliseconds. */
  readonly t: number;
  /** Place of the event's device. */
  readonly device: number;
  readonly bytes: number;
  /** For each device; null: no event of it came yet, or the trace does not say. */
  readonly allocated: readonly (number | null)[];
  readonly reserved: readonly (number | null)[];
  /** Operators around the event, outermost first. */
  readonly path: readonly string[];
}

/** At most about `most` moments, in the order of time. */
export function momentsOf(trace: MemoryTrace, most: number): readonly TraceMoment[] {
  const { devices, calls } = trace;
  const room = Math.max(2, Math.floor(most / devices.length));
  const kept = devices.flatMap((device, place) => [...thinned(device, room)].map((event) => ({ place, event })));
  const time = ({ place, event }: (typeof kept)[number]): number => devices[place]?.t[event] ?? 0;
  kept.sort((a, b) => time(a) - time(b) || a.place - b.place || a.event - b.event);
  const allocated: (number | null)[] = devices.map(() => null);
  const reserved: (number | null)[] = devices.map(() => null);
  return kept.map(({ place, event }) => {
    const device = devices[place];
    allocated[place] = known(device?.allocated[event]);
    reserved[place] = known(device?.reserved[event]);
    return {
      t: device?.t[event] ?? 0,
      device: place,
      bytes: device?.bytes[event] ?? 0,
      allocated: [...allocated],
      reserved: [...reserved],
      path: callPath(calls, device?.call[event] ?? -1),
    };
  });
}

/** Places of the events that are kept: of each stretch of time the highest and the last. */
function thinned(device: TraceDevice, room: number): ReadonlySet<number> {
  const { t, allocated } = device;
  if (t.length <= room) return new Set(t.keys());
  const kept = new Set([0, peakOf(device), t.length - 1]);
  const stretches = Math.max(1, Math.floor((room - kept.size) / 2));
  const stretchOf = (event: number): number => Math.floor((event * stretches) / t.length);
  let highest = 0;
  for (let event = 1; event < t.length; event += 1) {
    if (stretchOf(event) !== stretchOf(event - 1)) {
      kept.add(highest).add(event - 1);
      highest = event;
    } else if ((allocated[event] ?? 0) > (allocated[highest] ?? 0)) highest = event;
  }
  return kept.add(highest);
}

function known(figure: number | undefined): number | null {
  return figure === undefined || Number.isNaN(figure) ? null : figure;
}
