import { setTimeout as delay } from "node:timers/promises";

/** Waits for a state that nobody tells of, as long as it takes; rejects when the signal ends that. */
export async function until(isSo: () => boolean, signal?: AbortSignal): Promise<void> {
  while (!isSo()) await delay(5, undefined, signal === undefined ? {} : { signal });
}
