/** Which moment is shown; no document. */
import type { MemoryPageState } from "../../src/protocol/board/memory.ts";

/** A time of the timeline in ms, or whatever is the peak or the newest as records come. */
export type Choice = NonNullable<MemoryPageState["moment"]>;

/** What the choice is made among. */
export interface Moments {
  readonly size: number;
  readonly baseline: number | undefined;
  peak(): number | undefined;
  at(t: number): number | undefined;
}

/** The place of the chosen moment among the records; undefined while there is none. */
export function placeOf(choice: Choice, moments: Moments): number | undefined {
  const newest = moments.size === 0 ? undefined : moments.size - 1;
  if (choice === "newest") return newest;
  return choice === "peak" ? (moments.peak() ?? newest) : moments.at(choice);
}

/** What a key of the chart chooses: a place, or the peak as it moves; undefined for a key that is not the chart's. */
export function chosenByKey(key: string, place: number, moments: Moments): number | "peak" | undefined {
  const last = moments.size - 1;
  const page = Math.max(1, Math.round(moments.size / 20));
  const places: Readonly<Record<string, number | undefined>> = {
    ArrowLeft: place - 1,
    ArrowDown: place - 1,
    ArrowRight: place + 1,
    ArrowUp: place + 1,
    PageUp: place + page,
    PageDown: place - page,
    Home: 0,
    End: last,
    b: moments.baseline,
  };
  const named = key.length === 1 ? key.toLowerCase() : key;
  if (named === "p") return moments.peak() === undefined ? undefined : "peak";
  const next = places[named];
  return next === undefined || last < 0 ? undefined : Math.min(last, Math.max(0, next));
}
