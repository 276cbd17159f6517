/** A snapshot of PyTorch's allocator as text: what it held, what was free, and which lines held it. */
import type { Paint } from "../../../profile/lines/annotate.ts";
import { formatBytes, formatChange, formatCount, formatDuration, UNKNOWN } from "../../../profile/text/format.ts";
import { aligned } from "../../../profile/text/table.ts";
import { printable } from "../../../profile/text/text.ts";
import { type AnnotatedSpan, annotatedSpans, spansAt } from "../../../torch/snapshot/annotations.ts";
import type { DeviceMemory } from "../../../torch/snapshot/deviceMemory.ts";
import type { OutOfMemory } from "../../../torch/snapshot/outOfMemory.ts";
import { type Phrase, phrase, say, t } from "../../../words/t.ts";
import { comparedRows, type DeviceReport, lineOf, notesOf, type SnapshotReport } from "./snapshotJson.ts";

const MOST_OUT_OF_MEMORY = 10;
const MOST_NOTES = 10;

export function snapshotTables(report: SnapshotReport, paint: Paint): string {
  const notes = notesOf(report);
  const others =
    report.others.length === 0 ? [] : [t("Note: The run has more snapshots: {0}.", report.others.join(", "))];
  const parts = [
    paint.strong(printable(report.path)),
    ...takenLine(report),
    ...others,
    ...notes
      .slice(0, MOST_NOTES)
      .map((note) => t("Note: {0}", note))
      .map(printable),
    ...(report.devices.length === 0
      ? [t("PyTorch held no CUDA memory when the snapshot was taken, and no events are recorded.")]
      : []),
    ...report.devices.flatMap((device) => ["", ...deviceTables(report, device, paint)]),
  ];
  return `${parts.join("\n")}\n`;
}

const REASONS: ReadonlyMap<string, Phrase> = new Map([
  ["request", phrase("as asked for")],
  ["oom", phrase("when the allocator found no memory")],
  ["checkpoint", phrase("as one is taken from time to time")],
  ["end", phrase("at the program's end")],
]);

function takenLine({ taken }: SnapshotReport): string[] {
  if (taken === undefined) return [];
  const reason = REASONS.get(taken.why);
  return [
    t(
      "Taken {0} after the run's start{1}.",
      formatDuration(taken.t),
      reason === undefined ? "" : t(", {0}", say(reason)),
    ),
  ];
}

function deviceTables(report: SnapshotReport, device: DeviceReport, paint: Paint): string[] {
  const { memory } = device;
  return [
    paint.strong(t("Device {0}, when the snapshot was taken", memory.device)),
    ...totalsTable(memory),
    ...maximumLine(memory),
    ...annotationLines(report, memory, paint),
    ...outOfMemoryLines(report, memory, paint),
    "",
    ...lineTable(report, device, paint),
    ...comparedTable(report, device, paint),
  ];
}

function totalsTable({ totals }: DeviceMemory): string[] {
  const segments = totals.segments === 1 ? t("1 segment") : t("{0} segments", formatCount(totals.segments));
  const waiting = totals.active - totals.allocated;
  const rows = [
    [t("Reserved"), formatBytes(totals.reserved), t("what PyTorch took from CUDA, in {0}", segments)],
    [t("Allocated"), formatBytes(totals.allocated), t("what tensors hold")],
    ...(totals.requested === undefined
      ? []
      : [[t("Requested"), formatBytes(totals.requested), t("what the program asked for, before rounding")]]),
    ...(waiting === 0 ? [] : [[t("Awaiting"), formatBytes(waiting), t("freed, but still in use by another stream")]]),
    [
      t("Fragments"),
      formatBytes(totals.inactiveSplit),
      t("free parts of segments that are in use: PyTorch cannot give them back"),
    ],
    [t("Cached"), formatBytes(totals.cached), t("segments that are wholly free")],
    [
      t("Largest free"),
      formatBytes(totals.largestFree),
      t("the largest free block: what is larger needs more memory from CUDA"),
    ],
  ];
  return aligned(
    rows.map(([name = "", size = "", meaning = ""]) => [size, name, meaning]),
    1,
  );
}

function maximumLine(memory: DeviceMemory): string[] {
  const { maximum, allocations } = memory;
  if (allocations.events === 0) return [t("The file has no events, only what was live when the snapshot was taken.")];
  return [t("Maximum: {0} as requested, {1}.", formatBytes(maximum.bytes), momentText(memory, maximum.moment))];
}

/** The parts of the program by their names: how often, where first, and the most that one left held. */
function annotationLines({ snapshot, top }: SnapshotReport, memory: DeviceMemory, paint: Paint): string[] {
  const spans = annotatedSpans(snapshot, memory.device);
  if (spans.length === 0) return [];
  const within = spansAt(spans, memory.maximum.moment).map(({ name }) => name);
  const named = new Map<string, AnnotatedSpan[]>();
  for (const span of spans) {
    const same = named.get(span.name);
    if (same === undefined) named.set(span.name, [span]);
    else same.push(span);
  }
  const rows = [...named].slice(0, top).map(([name, parts]) => {
    const kept = parts.flatMap(({ from, to }) =>
      from === undefined || to === undefined ? [] : (memory.held[to] ?? 0) - (memory.held[from] ?? 0),
    );
    const most = kept.reduce((found, bytes) => Math.max(found, bytes), Number.NEGATIVE_INFINITY);
    const first = parts[0]?.from;
    return [
      first === undefined ? UNKNOWN : formatCount(first),
      formatCount(parts.length),
      kept.length === 0 ? UNKNOWN : formatChange(most),
      printable(name),
    ];
  });
  const [head = "", ...lines] = aligned(
    [[t("From event"), t("Times"), t("Most left"), t("Part of the program")], ...rows],
    3,
  );
  const more = named.size - rows.length;
  return [
    ...(within.length === 0 ? [] : [printable(t("The maximum lies within {0}.", within.slice(0, 10).join(" › ")))]),
    "",
    paint.strong(t("Parts of the program, as record_function names them")),
    paint.faint(head),
    ...lines,
    ...(more > 0 ? [t("… and {0} more names.", formatCount(more))] : []),
  ];
}

function momentText(memory: DeviceMemory, moment: number): string {
  const ms = memory.timeAt(moment);
  const time = ms === undefined ? "" : t(", {0} after the first one", formatDuration(ms));
  return t("after event {0} of {1}{2}", formatCount(moment), formatCount(memory.allocations.events), time);
}

function outOfMemoryLines(report: SnapshotReport, memory: DeviceMemory, paint: Paint): string[] {
  const { outOfMemory } = memory;
  const more = outOfMemory.length - MOST_OUT_OF_MEMORY;
  return [
    ...outOfMemory
      .slice(0, MOST_OUT_OF_MEMORY)
      .map((event) => paint.strong(printable(outOfMemoryText(report, memory, event)))),
    ...(more > 0 ? [t("… and {0} more times.", formatCount(more))] : []),
  ];
}

function outOfMemoryText(report: SnapshotReport, memory: DeviceMemory, event: OutOfMemory): string {
  const line = lineOf(report, event.stack);
  const free = event.deviceFree === undefined ? "" : t(", CUDA had {0} free", formatBytes(event.deviceFree));
  const where = line === undefined ? "" : t(", at {0}:{1} ({2})", line.path, line.line, line.function);
  const held = formatBytes(memory.held[event.moment] ?? 0);
  return t(
    "Out of memory {0}: {1} requested while {2} were held{3}{4}.",
    momentText(memory, event.moment),
    formatBytes(event.requested),
    held,
    free,
    where,
  );
}

function lineTable(report: SnapshotReport, { memory, moment, live }: DeviceReport, paint: Paint): string[] {
  const title = paint.strong(t("Live {0}: {1} as requested", momentText(memory, moment), formatBytes(live.total)));
  const owners = [
    ...live.lines.map((line) => ({ ...line, what: `${line.path}:${line.line} ${line.function}` })),
    ...live.operations.map((operation) => ({ ...operation, what: t("{0} (no line)", shortened(operation.name)) })),
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
      ? [[formatBytes(live.withoutStack), share(live.withoutStack, live.total), "", t("no stack was recorded")]]
      : []),
  ];
  const [head = "", ...lines] = aligned(
    [[t("Live"), t("Share"), t("Blocks"), t("Line or operation")], ...rows, ...rest],
    3,
  );
  return [title, paint.faint(head), ...lines];
}

/** What each line held in both. */
function comparedTable({ comparedWith, top }: SnapshotReport, device: DeviceReport, paint: Paint): string[] {
  if (comparedWith === undefined) return [];
  const title = ["", paint.strong(printable(t("Compared with {0}", comparedWith)))];
  const { other } = device;
  if (other === undefined) return [...title, t("It has nothing of device {0} at such a moment.", device.memory.device)];
  const { memory, moment, live } = other;
  const rows = comparedRows(device, live);
  const more = rows.slice(top);
  const sum = (figure: "here" | "there") => more.reduce((bytes, row) => bytes + row[figure], 0);
  const cells = [
    ...rows.slice(0, top).map(({ name, place, here, there }) => {
      const what = place === undefined ? t("{0} (no line)", shortened(name)) : `${place.path}:${place.line} ${name}`;
      return [formatChange(here - there), formatBytes(here), formatBytes(there), printable(what)];
    }),
    ...(more.length === 0
      ? []
      : [[formatChange(sum("here") - sum("there")), formatBytes(sum("here")), formatBytes(sum("there")), t("others")]]),
  ];
  const [head = "", ...lines] = aligned([[t("More here"), t("Here"), t("There"), t("Line or operation")], ...cells], 3);
  return [
    ...title,
    t(
      "Maximum there: {0} as requested, {1}.",
      formatBytes(memory.maximum.bytes),
      momentText(memory, memory.maximum.moment),
    ),
    t("Live there {0}: {1} as requested", momentText(memory, moment), formatBytes(live.total)),
    paint.faint(head),
    ...lines,
  ];
}

function share(bytes: number, total: number): string {
  return total === 0 ? UNKNOWN : `${((100 * bytes) / total).toFixed(1)} %`;
}

const LONGEST_NAME = 80;

/** C++ names run on with their templates and arguments. */
function shortened(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
}
