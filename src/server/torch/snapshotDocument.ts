/** What the page of a snapshot shows before it asks for more. */
import { defined } from "../../profile/defined.ts";
import { formatCount } from "../../profile/text/format.ts";
import type { SnapshotDevice, SnapshotDocument } from "../../protocol/torch/snapshot.ts";
import { type AnnotatedSpan, annotatedSpans } from "../../torch/snapshot/annotations.ts";
import type { DeviceMemory } from "../../torch/snapshot/deviceMemory.ts";
import { t } from "../../words/t.ts";
import type { OpenSnapshot } from "./snapshotAnswers.ts";
import type { SnapshotPlaces } from "./snapshotPlaces.ts";

/** Out of memory events that are listed: a script that goes on after each has many alike. */
const MOST_LISTED = 200;
/** Parts of the program: a thousand steps of a training with four parts each. */
const MOST_PARTS = 5_000;

export function snapshotDocument(
  { snapshot, devices, places }: OpenSnapshot,
  { title, board }: { readonly title: string; readonly board: string | undefined },
): SnapshotDocument {
  return {
    title,
    ...defined({ board }),
    devices: devices.map((device) => documentDevice(device, places, annotatedSpans(snapshot, device.device))),
    settings: Object.entries(snapshot.settings).map(([name, value]) => ({ name, value })),
    notes: [
      ...(devices.length === 0
        ? [t("PyTorch held no CUDA memory when the snapshot was taken, and no events are recorded.")]
        : []),
      ...devices.flatMap((device) => deviceNotes(device, devices.length > 1)),
      ...snapshot.problems,
    ],
  };
}

function documentDevice(memory: DeviceMemory, places: SnapshotPlaces, parts: readonly AnnotatedSpan[]): SnapshotDevice {
  const { device, totals, allocations, held, maximum, outOfMemory } = memory;
  const duration = memory.timeAt(allocations.events);
  return {
    device,
    totals,
    events: allocations.events,
    ...defined({ duration }),
    maximum,
    outOfMemory: outOfMemory.slice(0, MOST_LISTED).map(({ stack, moment, ...figures }) => {
      // The event itself is the one after the moment.
      const t = memory.timeAt(moment + 1);
      return {
        ...figures,
        moment,
        held: held[moment] ?? 0,
        ...defined({ t }),
        stack: places.stack(stack),
      };
    }),
    outOfMemoryMore: Math.max(0, outOfMemory.length - MOST_LISTED),
    parts: parts.slice(0, MOST_PARTS),
    partsMore: Math.max(0, parts.length - MOST_PARTS),
  };
}

function deviceNotes({ device, allocations }: DeviceMemory, isOneOfMany: boolean): string[] {
  const of = isOneOfMany ? t("Device {0}: ", device) : "";
  if (allocations.events === 0)
    return [t("{0}The file has no events, only what was live when the snapshot was taken.", of)];
  const { start } = allocations;
  const before = start.findIndex((moment) => moment > 0);
  const count = before < 0 ? start.length : before;
  const earlier =
    count === 0
      ? []
      : [
          t(
            "{0}{1} allocations were made before the first recorded event. Those that were freed since have no stack.",
            of,
            formatCount(count),
          ),
        ];
  return [...earlier, ...allocations.problems.map((problem) => `${of}${problem}`)];
}
