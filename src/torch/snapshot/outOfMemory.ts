/** Requests for memory that could not be met. */
import { defined } from "../../profile/defined.ts";
import { ACTIONS, type EventTable } from "./model.ts";

export interface OutOfMemory {
  /** When it happened: after so many events. */
  readonly moment: number;
  /** Bytes. */
  readonly requested: number;
  /** Bytes that CUDA had free; absent where the event does not say. */
  readonly deviceFree?: number;
  readonly stack: number;
}

const OOM = ACTIONS.indexOf("oom");

/** In their order. */
export function outOfMemories({ action, size, deviceFree, stack }: EventTable): OutOfMemory[] {
  const found: OutOfMemory[] = [];
  for (let event = action.indexOf(OOM); event >= 0; event = action.indexOf(OOM, event + 1)) {
    found.push({
      moment: event,
      requested: size[event] ?? 0,
      ...defined({ deviceFree: deviceFree.get(event) }),
      stack: stack[event] ?? -1,
    });
  }
  return found;
}
