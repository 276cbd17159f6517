/** Which moment a key leads to. */
import type { SnapshotDevice } from "../../src/protocol/torch/snapshot.ts";

/** Of what is seen: with Shift, and with the page keys. */
const LARGE_STEPS = { shift: 100, page: 10 };

/** Undefined when the key is none of these. */
export function movedMoment(
  key: string,
  shift: boolean,
  moment: number,
  { events, maximum }: Pick<SnapshotDevice, "events" | "maximum">,
  range: { readonly from: number; readonly to: number } = { from: 0, to: events },
): number | undefined {
  const part = (parts: number): number => Math.max(1, Math.round((range.to - range.from) / parts));
  const step = shift ? part(LARGE_STEPS.shift) : 1;
  const moved = (to: number): number => Math.min(events, Math.max(0, to));
  switch (key) {
    case "ArrowRight":
      return moved(moment + step);
    case "ArrowLeft":
      return moved(moment - step);
    case "PageUp":
      return moved(moment + part(LARGE_STEPS.page));
    case "PageDown":
      return moved(moment - part(LARGE_STEPS.page));
    case "Home":
      return 0;
    case "End":
      return events;
    case "m":
    case "M":
      return maximum.moment;
    default:
      return undefined;
  }
}
