/** A snapshot of PyTorch's allocator as JSON for other programs; what is not known is left out. Sizes are bytes. */
import { defined } from "../../../profile/defined.ts";
import type { SnapshotRecord } from "../../../profile/run/snapshotRecords.ts";
import { annotatedSpans } from "../../../torch/snapshot/annotations.ts";
import { type ComparedLine, comparedLines, type HeldLine } from "../../../torch/snapshot/compared.ts";
import type { DeviceMemory } from "../../../torch/snapshot/deviceMemory.ts";
import type { LiveLines } from "../../../torch/snapshot/liveLines.ts";
import type { Snapshot } from "../../../torch/snapshot/model.ts";
import type { OutOfMemory } from "../../../torch/snapshot/outOfMemory.ts";
import type { ProjectFiles } from "../../../torch/snapshot/projectFiles.ts";
import { frameOf, framesOf } from "../../../torch/snapshot/stackLines.ts";
import { t } from "../../../words/t.ts";

/** What was read, for people and for programs. */
export interface SnapshotReport {
  readonly path: string;
  /** When and why, where its run says so. */
  readonly taken?: SnapshotRecord;
  /** Names of the run's other snapshots. */
  readonly others: readonly string[];
  readonly snapshot: Snapshot;
  readonly files: ProjectFiles;
  readonly devices: readonly DeviceReport[];
  /** The file that it is compared with. */
  readonly comparedWith?: string;
  /** Lines to show of each device. */
  readonly top: number;
}

export interface DeviceReport {
  readonly memory: DeviceMemory;
  /** What `live` is of: after so many events. */
  readonly moment: number;
  readonly live: LiveLines;
  /** Of the same device in the snapshot that it is compared with. */
  readonly other?: DeviceReport;
}

/** A line of both, the greatest difference first; what has none of its own is a row too, so that columns add up. */
export function comparedRows({ live }: DeviceReport, there: LiveLines): ComparedLine[] {
  const rows = comparedLines(heldLines(live), heldLines(there));
  const [without, withoutThere] = [live.withoutStack, there.withoutStack];
  if (without === 0 && withoutThere === 0) return rows;
  return [...rows, { name: t("no stack was recorded"), here: without, there: withoutThere }];
}

const heldLines = ({ lines, operations }: LiveLines): HeldLine[] => [
  ...lines.map(({ path, line, function: name, bytes }) => ({ name, place: { path, line }, bytes })),
  ...operations.map(({ name, bytes }) => ({ name, bytes })),
];

/** The line to blame for a stack. */
export function lineOf({ snapshot, files }: SnapshotReport, stack: number) {
  const frame = frameOf(framesOf(snapshot, stack), (file) => files.inProject(file) !== undefined);
  return frame && { path: files.pathOf(frame.file), line: frame.line, function: frame.name };
}

/** What the user should know of the figures; whole sentences. */
export function notesOf({ snapshot, devices }: SnapshotReport): string[] {
  return [...snapshot.problems, ...devices.flatMap(({ memory }) => memory.allocations.problems)];
}

export function snapshotJson(report: SnapshotReport): object {
  const { snapshot } = report;
  return {
    schema: 1,
    file: {
      path: report.path,
      ...defined({ taken: report.taken === undefined ? undefined : { t_ms: report.taken.t, why: report.taken.why } }),
      settings: snapshot.settings,
    },
    devices: report.devices.map((device) => deviceJson(report, device)),
    problems: notesOf(report),
  };
}

function deviceJson(report: SnapshotReport, device: DeviceReport): object {
  const { memory, moment, live } = device;
  const { totals, maximum } = memory;
  return {
    device: memory.device,
    totals: {
      segments: totals.segments,
      reserved_bytes: totals.reserved,
      allocated_bytes: totals.allocated,
      active_bytes: totals.active,
      ...defined({ requested_bytes: totals.requested }),
      inactive_split_bytes: totals.inactiveSplit,
      cached_bytes: totals.cached,
      largest_free_bytes: totals.largestFree,
    },
    events: memory.allocations.events,
    maximum: { after_event: maximum.moment, requested_bytes: maximum.bytes, ...time(memory, maximum.moment) },
    ...annotationsJson(report.snapshot, memory),
    out_of_memory: memory.outOfMemory.map((event) => outOfMemoryJson(report, memory, event)),
    at: { after_event: moment, requested_bytes: live.total, ...time(memory, moment) },
    lines: live.lines.slice(0, report.top).map(({ bytes, ...line }) => ({ ...line, requested_bytes: bytes })),
    operations: live.operations.slice(0, report.top).map(({ bytes, ...operation }) => {
      return { ...operation, requested_bytes: bytes };
    }),
    without_stack_bytes: live.withoutStack,
    ...comparedJson(report, device),
  };
}

function comparedJson({ comparedWith, top }: SnapshotReport, device: DeviceReport): object {
  const { other } = device;
  if (other === undefined) return {};
  const { memory, moment, live } = other;
  return {
    compared: {
      path: comparedWith,
      maximum: { after_event: memory.maximum.moment, requested_bytes: memory.maximum.bytes },
      reserved_bytes: memory.totals.reserved,
      at: { after_event: moment, requested_bytes: live.total, ...time(memory, moment) },
      lines: comparedRows(device, live)
        .slice(0, top)
        .map(({ name, place, here, there }) => ({
          ...(place === undefined ? { name } : { ...place, function: name }),
          requested_bytes: here,
          other_requested_bytes: there,
        })),
    },
  };
}

const MOST_ANNOTATIONS = 1_000;

/** Parts of the program; absent where there are none. */
function annotationsJson(snapshot: Snapshot, memory: DeviceMemory): object {
  const spans = annotatedSpans(snapshot, memory.device);
  if (spans.length === 0) return {};
  const held = (moment: number | undefined) => (moment === undefined ? undefined : memory.held[moment]);
  return {
    annotations: spans.slice(0, MOST_ANNOTATIONS).map(({ name, from, to }) => ({
      name,
      ...defined({ from_event: from, to_event: to, held_before_bytes: held(from), held_after_bytes: held(to) }),
    })),
    annotations_more: Math.max(0, spans.length - MOST_ANNOTATIONS),
  };
}

function outOfMemoryJson(report: SnapshotReport, memory: DeviceMemory, event: OutOfMemory): object {
  const line = lineOf(report, event.stack);
  return {
    after_event: event.moment,
    tried_bytes: event.requested,
    ...defined({ device_free_bytes: event.deviceFree }),
    held_bytes: memory.held[event.moment] ?? 0,
    ...time(memory, event.moment + 1),
    ...defined({ at: line }),
  };
}

function time(memory: DeviceMemory, moment: number): { t_ms?: number } {
  const t = memory.timeAt(moment);
  return t === undefined ? {} : { t_ms: t };
}
