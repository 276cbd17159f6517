/** A snapshot of PyTorch's allocator as text: what it held, what was free, and which lines held it. */
import type { Paint } from "../profile/annotate.ts";
import { formatBytes, formatCount, formatDuration } from "../profile/format.ts";
import { aligned } from "../profile/table.ts";
import { printable } from "../profile/text.ts";
import type { DeviceMemory } from "../torch/snapshot/deviceMemory.ts";
import type { OutOfMemory } from "../torch/snapshot/outOfMemory.ts";
import { type DeviceReport, lineOf, notesOf, type SnapshotReport } from "./snapshotJson.ts";

const MOST_OUT_OF_MEMORY = 10;
const MOST_NOTES = 10;

export function snapshotTables(report: SnapshotReport, paint: Paint): string {
  const notes = notesOf(report);
  const others = report.others.length === 0 ? [] : [`Note: The run has more snapshots: ${report.others.join(", ")}.`];
  const parts = [
    paint.strong(printable(report.path)),
    ...takenLine(report),
    ...others,
    ...notes
      .slice(0, MOST_NOTES)
      .map((note) => `Note: ${note}`)
      .map(printable),
    ...(report.devices.length === 0
      ? ["PyTorch held no CUDA memory when the snapshot was taken, and no events are recorded."]
      : []),
    ...report.devices.flatMap((device) => ["", ...deviceTables(report, device, paint)]),
  ];
  return `${parts.join("\n")}\n`;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["request", "as asked for"],
  ["oom", "when the allocator found no memory"],
  ["checkpoint", "as one is taken from time to time"],
  ["end", "at the program's end"],
]);

function takenLine({ taken }: SnapshotReport): string[] {
  if (taken === undefined) return [];
  const reason = REASONS.get(taken.why);
  return [`Taken ${formatDuration(taken.t)} after the run's start${reason === undefined ? "" : `, ${reason}`}.`];
}

function deviceTables(report: SnapshotReport, device: DeviceReport, paint: Paint): string[] {
  const { memory } = device;
  return [
    paint.strong(`Device ${memory.device}, when the snapshot was taken`),
    ...totalsTable(memory),
    ...maximumLine(memory),
    ...outOfMemoryLines(report, memory, paint),
    "",
    ...lineTable(report, device, paint),
  ];
}

function totalsTable({ totals }: DeviceMemory): string[] {
  const segments = `${formatCount(totals.segments)} ${totals.segments === 1 ? "segment" : "segments"}`;
  const waiting = totals.active - totals.allocated;
  const rows = [
    ["Reserved", formatBytes(totals.reserved), `what PyTorch took from CUDA, in ${segments}`],
    ["Allocated", formatBytes(totals.allocated), "what tensors hold"],
    ...(totals.requested === undefined
      ? []
      : [["Requested", formatBytes(totals.requested), "what the program asked for, before rounding"]]),
    ...(waiting === 0 ? [] : [["Awaiting", formatBytes(waiting), "freed, but still in use by another stream"]]),
    [
      "Fragments",
      formatBytes(totals.inactiveSplit),
      "free parts of segments that are in use: PyTorch cannot give them back",
    ],
    ["Cached", formatBytes(totals.cached), "segments that are wholly free"],
    [
      "Largest free",
      formatBytes(totals.largestFree),
      "the largest free block: what is larger needs more memory from CUDA",
    ],
  ];
  return aligned(
    rows.map(([name = "", size = "", meaning = ""]) => [size, name, meaning]),
    1,
  );
}

function maximumLine(memory: DeviceMemory): string[] {
  const { maximum, allocations } = memory;
  if (allocations.events === 0) return ["The file has no events, only what was live when the snapshot was taken."];
  return [`Maximum: ${formatBytes(maximum.bytes)} as requested, ${momentText(memory, maximum.moment)}.`];
}

function momentText(memory: DeviceMemory, moment: number): string {
  const t = memory.timeAt(moment);
  const time = t === undefined ? "" : `, ${formatDuration(t)} after the first one`;
  return `after event ${formatCount(moment)} of ${formatCount(memory.allocations.events)}${time}`;
}

function outOfMemoryLines(report: SnapshotReport, memory: DeviceMemory, paint: Paint): string[] {
  const { outOfMemory } = memory;
  const more = outOfMemory.length - MOST_OUT_OF_MEMORY;
  return [
    ...outOfMemory
      .slice(0, MOST_OUT_OF_MEMORY)
      .map((event) => paint.strong(printable(outOfMemoryText(report, memory, event)))),
    ...(more > 0 ? [`… and ${formatCount(more)} more times.`] : []),
  ];
}

function outOfMemoryText(report: SnapshotReport, memory: DeviceMemory, event: OutOfMemory): string {
  const line = lineOf(report, event.stack);
  const free = event.deviceFree === undefined ? "" : `, CUDA had ${formatBytes(event.deviceFree)} free`;
  const where = line === undefined ? "" : `, at ${line.path}:${line.line} (${line.function})`;
  const held = formatBytes(memory.held[event.moment] ?? 0);
  return `Out of memory ${momentText(memory, event.moment)}: ${formatBytes(event.requested)} requested while ${held} were held${free}${where}.`;
}

function lineTable(report: SnapshotReport, { memory, moment, live }: DeviceReport, paint: Paint): string[] {
  const title = paint.strong(`Live ${momentText(memory, moment)}: ${formatBytes(live.total)} as requested`);
  const owners = [
    ...live.lines.map((line) => ({ ...line, what: `${line.path}:${line.line} ${line.function}` })),
    ...live.operations.map((operation) => ({ ...operation, what: `${shortened(operation.name)} (no line)` })),
  ];
  owners.sort((a, b) => b.bytes - a.bytes);
  const shown = owners.slice(0, report.top);
  const rows = shown.map(({ what, bytes, allocations }) => {
    return [formatBytes(bytes), share(bytes, live.total), formatCount(allocations), printable(what)];
  });
  const left = live.total - live.withoutStack - shown.reduce((sum, { bytes }) => sum + bytes, 0);
  const rest = [
    ...(left > 0 ? [[formatBytes(left), share(left, live.total), "", "others"]] : []),
    ...(live.withoutStack > 0
      ? [[formatBytes(live.withoutStack), share(live.withoutStack, live.total), "", "no stack was recorded"]]
      : []),
  ];
  const [head = "", ...lines] = aligned([["Live", "Share", "Blocks", "Line or operation"], ...rows, ...rest], 3);
  return [title, paint.faint(head), ...lines];
}

function share(bytes: number, total: number): string {
  return total === 0 ? "-" : `${((100 * bytes) / total).toFixed(1)} %`;
}

const LONGEST_NAME = 80;

/** C++ names run on with their templates and arguments. */
function shortened(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
}
