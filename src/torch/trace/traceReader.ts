/** Memory events and operators of a torch.profiler trace, from its bytes as they come. */
import { formatBytes } from "../../profile/text/format.ts";
import { UserError } from "../../profile/userError.ts";
import { phrase, say, t } from "../../words/t.ts";
import { type CallTree, createCallTree, createSweep, type Span } from "./calls.ts";
import { type Column, createColumn } from "./column.ts";
import { createEventSplitter } from "./eventSplitter.ts";
import type { MemoryTrace, TraceDevice } from "./model.ts";

export interface TraceLimits {
  readonly memoryEvents: number;
  readonly operators: number;
}

/** What is kept of them takes some 60 bytes each; a trace of one training step has some thousands. */
export const TRACE_LIMITS: TraceLimits = { memoryEvents: 2_000_000, operators: 2_000_000 };

export interface TraceReader {
  push(piece: Uint8Array): void;
  /** Enough was read: more would not be looked at. */
  readonly isDone: boolean;
  /**
   * @param cutAfter bytes, where whoever reads stopped before the file ended
   * @throws UserError `not-a-trace`, `no-memory-events`
   */
  end(cutAfter?: number): MemoryTrace;
}

/** The kinds of complete events that stand for what the program's own threads ran; none in old traces. */
const OPERATOR = /^(cpu_op|operator|user_annotation)$/i;
const DEVICE_NAMES: ReadonlyMap<number, string> = new Map([
  [0, "CPU"],
  [1, "CUDA"],
  [6, "HIP"],
  [9, "XLA"],
  [12, "XPU"],
  [13, "MPS"],
  [20, "Private"],
]);
const LONGEST_NAME = 300;
/** A board has one or two devices, a program some dozen threads and some thousand operators by name. */
const MOST_DEVICES = 64;
const MOST_THREADS = 10_000;
const MOST_NAMES = 200_000;
const OTHER_NAME = phrase("another operator");

interface Thread {
  readonly spans: Span[];
  /** Places of its memory events. */
  readonly events: number[];
}

/** Of each memory event, in the order in which they are written. */
interface Events {
  readonly time: Column;
  readonly bytes: Column;
  readonly address: Column;
  readonly allocated: Column;
  readonly reserved: Column;
  readonly device: Column;
}

export function createTraceReader(limits: TraceLimits = TRACE_LIMITS): TraceReader {
  const names = new Map<string, number>();
  const threads = new Map<string, Thread>();
  const devices = new Map<string, number>();
  const events: Events = {
    time: createColumn(),
    bytes: createColumn(),
    address: createColumn(),
    allocated: createColumn(),
    reserved: createColumn(),
    device: createColumn(),
  };
  let operators = 0;
  let tooMany = false;
  let unread = 0;
  /** Some event was one of a trace, of whatever kind. */
  let isTrace = false;

  function thread({ pid, tid }: RawEvent): Thread | undefined {
    const key = `${String(pid)}/${String(tid)}`.slice(0, LONGEST_NAME);
    const found = threads.get(key);
    if (found !== undefined || threads.size >= MOST_THREADS) return found;
    const made: Thread = { spans: [], events: [] };
    threads.set(key, made);
    return made;
  }

  function takeOperator(event: RawEvent): void {
    const { name, ts, dur } = event;
    if (typeof name !== "string" || !isNumber(ts) || !isNumber(dur) || dur < 0) return;
    operators += 1;
    if (operators > limits.operators) return;
    const known = name.slice(0, LONGEST_NAME);
    const place = placeIn(names, names.size < MOST_NAMES || names.has(known) ? known : say(OTHER_NAME));
    thread(event)?.spans.push({ start: ts, end: ts + dur, name: place });
  }

  function takeMemory(event: RawEvent): void {
    const args = isRecord(event.args) ? event.args : {};
    const bytes = args["Bytes"];
    const device = deviceName(args["Device Type"], args["Device Id"]);
    const isNew = !devices.has(device);
    if (!isNumber(event.ts) || !isNumber(bytes) || (isNew && devices.size >= MOST_DEVICES)) {
      unread += 1;
      return;
    }
    if (events.time.length >= limits.memoryEvents) {
      tooMany = true;
      return;
    }
    thread(event)?.events.push(events.time.length);
    events.time.push(event.ts);
    events.bytes.push(bytes);
    events.address.push(orUnknown(args["Addr"]));
    events.allocated.push(orUnknown(args["Total Allocated"]));
    events.reserved.push(orUnknown(args["Total Reserved"]));
    events.device.push(placeIn(devices, device));
  }

  const splitter = createEventSplitter((text) => {
    const event = parsed(text);
    isTrace ||= typeof event?.ph === "string";
    if (event === undefined) unread += 1;
    else if (event.name === "[memory]") takeMemory(event);
    else if (event.ph === "X" && (event.cat === undefined || OPERATOR.test(String(event.cat)))) takeOperator(event);
  });

  function problems(cutAfter: number | undefined): string[] {
    const found: string[] = [];
    if (cutAfter !== undefined && !splitter.ended)
      found.push(t("The trace is too large: only its first {0} are shown. Record fewer steps.", formatBytes(cutAfter)));
    else if (!splitter.ended && !tooMany)
      found.push(t("The trace ends in the middle of its events: what came before that is shown."));
    if (tooMany)
      found.push(
        t("Only the first {0} memory events of the trace are shown.", limits.memoryEvents.toLocaleString("en-US")),
      );
    if (operators > limits.operators) {
      const most = limits.operators.toLocaleString("en-US");
      found.push(
        t(
          "Only {0} of the trace's {1} operators were taken in, so some memory events have none.",
          most,
          operators.toLocaleString("en-US"),
        ),
      );
    }
    const lost = unread + splitter.skipped;
    if (lost > 0)
      found.push(
        lost === 1
          ? t("1 event of the trace could not be read.")
          : t("{0} events of the trace could not be read.", lost),
      );
    return found;
  }

  return {
    push: (piece) => splitter.push(piece),
    get isDone() {
      return tooMany || splitter.ended;
    },
    end(cutAfter) {
      if (!isTrace) throw notATrace();
      if (events.time.length === 0) throw noMemoryEvents();
      const tree = createCallTree([...names.keys()]);
      const first = events.time.pick(range(events.time.length), events.time.length).reduce((a, b) => Math.min(a, b));
      const calls = callsOf(threads, events.time, tree);
      const made = [...devices.keys()].map((name, device) => deviceOf(name, device, events, calls, first));
      const lasts = made.map(({ t }) => t.at(-1) ?? 0);
      return {
        devices: made.sort(byName),
        calls: tree.calls,
        durationMs: Math.max(...lasts),
        problems: problems(cutAfter),
      };
    },
  };
}

/** What ran at each memory event. */
function callsOf(threads: ReadonlyMap<string, Thread>, time: Column, tree: CallTree): Int32Array {
  const calls = new Int32Array(time.length).fill(-1);
  for (const { spans, events } of threads.values()) {
    const sweep = createSweep(spans, tree);
    const at = (event: number): number => time.at(event) ?? 0;
    for (const event of [...events].sort((a, b) => at(a) - at(b) || a - b)) calls[event] = sweep(at(event));
  }
  return calls;
}

const MICROSECONDS = 1_000;

function deviceOf(name: string, device: number, events: Events, calls: Int32Array, first: number): TraceDevice {
  const time = (event: number): number => events.time.at(event) ?? 0;
  const own = [...range(events.time.length)].filter((event) => events.device.at(event) === device);
  own.sort((a, b) => time(a) - time(b) || a - b);
  const bytes = events.bytes.pick(own, own.length);
  const told = events.allocated.pick(own, own.length);
  const isTold = told.every((total) => !Number.isNaN(total));
  return {
    name,
    t: events.time.pick(own, own.length).map((moment) => (moment - first) / MICROSECONDS),
    bytes,
    address: events.address.pick(own, own.length),
    allocated: isTold ? told : summed(bytes),
    reserved: events.reserved.pick(own, own.length),
    call: Int32Array.from(own, (event) => calls[event] ?? -1),
    totals: isTold ? "trace" : "summed",
  };
}

function summed(bytes: Float64Array): Float64Array {
  let sum = 0;
  return bytes.map((change) => {
    sum += change;
    return sum;
  });
}

function byName(a: TraceDevice, b: TraceDevice): number {
  return a.name < b.name ? -1 : 1;
}

function* range(count: number): Generator<number> {
  for (let at = 0; at < count; at += 1) yield at;
}

function placeIn(places: Map<string, number>, text: string): number {
  const found = places.get(text);
  if (found !== undefined) return found;
  places.set(text, places.size);
  return places.size - 1;
}

interface RawEvent {
  readonly ph?: unknown;
  readonly cat?: unknown;
  readonly name?: unknown;
  readonly pid?: unknown;
  readonly tid?: unknown;
  readonly ts?: unknown;
  readonly dur?: unknown;
  readonly args?: unknown;
}

/** Checked field by field where it is used: a schema for each of some million events would take most of the time. */
function parsed(text: string): RawEvent | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function orUnknown(value: unknown): number {
  return isNumber(value) ? value : Number.NaN;
}

/** Types are PyTorch's own numbers; the CPU's memory has no device number. */
function deviceName(type: unknown, id: unknown): string {
  const kind = isNumber(type) ? (DEVICE_NAMES.get(type) ?? t("device type {0}", type)) : t("unknown device");
  return isNumber(id) && id >= 0 && kind !== "CPU" ? `${kind} ${id}` : kind;
}

function notATrace(): UserError {
  return new UserError(
    "not-a-trace",
    t("The file is not a trace of torch.profiler: it has none of its events."),
    t(
      "Open what export_chrome_trace or tensorboard_trace_handler wrote; export_memory_timeline writes something else.",
    ),
  );
}

function noMemoryEvents(): UserError {
  return new UserError(
    "no-memory-events",
    t("The trace has no memory events."),
    t("Record it with torch.profiler.profile(profile_memory=True), and with a PyTorch that was built with Kineto."),
  );
}
