import { describe, expect, it } from "vitest";
import { callPath } from "./calls.ts";
import { createTraceReader, type TraceLimits } from "./traceReader.ts";

const op = (name: string, ts: number, dur: number, tid = 1, cat: string | undefined = "cpu_op") => ({
  ph: "X",
  ...(cat === undefined ? {} : { cat }),
  name,
  pid: 7,
  tid,
  ts,
  dur,
});
const memory = (ts: number, bytes: number, more: object = {}, tid = 1) => ({
  ph: "i",
  name: "[memory]",
  pid: 7,
  tid,
  ts,
  args: { "Device Type": 0, "Device Id": -1, Addr: 4096, Bytes: bytes, ...more },
});

function read(document: unknown, piece = 1 << 20, limits?: TraceLimits) {
  const reader = createTraceReader(limits);
  const bytes = new TextEncoder().encode(typeof document === "string" ? document : JSON.stringify(document));
  for (let at = 0; at < bytes.length; at += piece) reader.push(bytes.subarray(at, at + piece));
  return reader.end();
}

const paths = (trace: ReturnType<typeof read>, device = 0) =>
  [...(trace.devices[device]?.call ?? [])].map((call) => callPath(trace.calls, call).join(" > "));

describe("a torch.profiler trace", () => {
  it("gives each memory event the operators of its own thread that ran then, innermost last", () => {
    const trace = read({
      schemaVersion: 1,
      traceEvents: [
        op("aten::linear", 10, 50),
        op("aten::addmm", 20, 20),
        op("aten::empty", 22, 4),
        op("aten::relu", 12, 40, 2),
        memory(15, 1),
        memory(23, 2),
        memory(30, 3),
        memory(50, 4),
        memory(70, 5),
        memory(23, 6, {}, 3),
      ],
    });
    expect(paths(trace)).toEqual([
      "aten::linear",
      "aten::linear > aten::addmm > aten::empty",
      "",
      "aten::linear > aten::addmm",
      "aten::linear",
      "",
    ]);
    expect([...(trace.devices[0]?.t ?? [])]).toEqual([0, 0.008, 0.008, 0.015, 0.035, 0.055]);
    expect(trace.durationMs).toBe(0.055);
    expect(trace.problems).toEqual([]);
  });

  it("takes a moment at which one operator ends and the next begins for the next one's", () => {
    const trace = read([op("a", 0, 10), op("b", 10, 10), memory(10, 1), memory(20, 1), memory(20.5, 1)]);
    expect(paths(trace)).toEqual(["b", "b", ""]);
  });

  it("knows nothing of kernels, Python frames and other complete events as operators", () => {
    const kinds = ["kernel", "python_function", "Trace", "cuda_runtime"].map((cat) => op(cat, 0, 100, 1, cat));
    expect(paths(read({ traceEvents: [...kinds, op("Step", 0, 90, 1, "user_annotation"), memory(5, 1)] }))).toEqual([
      "Step",
    ]);
    expect(paths(read([op("aten::add", 0, 9, 1, undefined), memory(5, 1)]))).toEqual(["aten::add"]);
  });

  it("tells devices apart and takes their totals from the trace, the unsaid as not known", () => {
    const cuda = { "Device Type": 1, "Device Id": 1, "Total Allocated": 900, "Total Reserved": 2000 };
    const { devices } = read([memory(1, 10), memory(2, 512, cuda), memory(3, -4)]);
    expect(devices.map(({ name, totals }) => [name, totals])).toEqual([
      ["CPU", "summed"],
      ["CUDA 1", "trace"],
    ]);
    expect([...(devices[0]?.allocated ?? [])]).toEqual([10, 6]);
    expect([...(devices[0]?.reserved ?? [])]).toEqual([Number.NaN, Number.NaN]);
    expect([...(devices[1]?.allocated ?? []), ...(devices[1]?.reserved ?? [])]).toEqual([900, 2000]);
  });

  it("is read the same in pieces of any size, whatever its texts hold", () => {
    const document = {
      'traceEvents"': [{ not: "it" }],
      other: { traceEvents: [memory(0, 99)] },
      traceEvents: [op('quoted "\\{[ ünd 🐍', 0, 10), memory(5, 1, { "Call stack": 'a[0]; "}]' })],
      traceName: "x",
    };
    const whole = read(document);
    for (const piece of [1, 2, 3, 7, 64]) expect(read(document, piece)).toEqual(whole);
    expect(paths(whole)).toEqual(['quoted "\\{[ ünd 🐍']);
    expect([...(whole.devices[0]?.bytes ?? [])]).toEqual([1]);
  });

  it("that breaks off shows what came before, and says so", () => {
    const text = JSON.stringify({ traceEvents: [memory(1, 10), memory(2, 20)] });
    const trace = read(text.slice(0, -20));
    expect([...(trace.devices[0]?.bytes ?? [])]).toEqual([10]);
    expect(trace.problems).toEqual([expect.stringMatching(/ends in the middle of its events/)]);
  });

  it("with events that are damaged or too long goes on without them, and counts them", () => {
    const long = { name: "x".repeat(2_000_000) };
    const text = `[{"ph" oops}, ${JSON.stringify(long)}, ${JSON.stringify(memory(Number.NaN, 3))}, ${JSON.stringify(memory(1, 5))}]`;
    const trace = read(text);
    expect([...(trace.devices[0]?.bytes ?? [])]).toEqual([5]);
    expect(trace.problems).toEqual(["3 events of the trace could not be read."]);
  });

  it("is limited in what is kept of it, and says the limit", () => {
    const ops = Array.from({ length: 5 }, (_, at) => op(`op${at}`, at * 10, 5));
    const events = Array.from({ length: 5 }, (_, at) => memory(at * 10 + 1, 1));
    const trace = read([...ops, ...events], 1 << 20, { memoryEvents: 3, operators: 2 });
    expect(paths(trace)).toEqual(["op0", "op1", ""]);
    expect(trace.problems.join(" ")).toMatch(/Only the first 3 memory events.* Only 2 of the trace's 5 operators/);
  });

  it("made to be huge in some other way is bounded too: devices, threads and operators inside of each other", () => {
    const devices = Array.from({ length: 100 }, (_, id) => memory(id, 1, { "Device Type": 1, "Device Id": id }));
    const trace = read(devices);
    expect(trace.devices).toHaveLength(64);
    expect(trace.problems).toEqual(["36 events of the trace could not be read."]);
    const nested = Array.from({ length: 3_000 }, (_, at) => op(`op${at}`, at, 10_000 - 2 * at));
    expect(paths(read([...nested, memory(3_000, 1)]))[0]?.split(" > ")).toHaveLength(500);
    const threads = Array.from({ length: 10_100 }, (_, tid) => [
      op("aten::add", 0, 9, tid),
      memory(5, 1, {}, tid),
    ]).flat();
    expect(paths(read(threads)).filter((path) => path === "")).toHaveLength(100);
  });

  it("without events, or without memory events, is refused in words", () => {
    for (const other of [
      "{}",
      "",
      "[",
      "[]",
      "[[1,2],[[3],[4]]]",
      '"traceEvents"',
      "\u0000\u0001",
      '{"a":{"traceEvents":[]}}',
    ]) {
      expect(() => read(other), other).toThrow("not a trace of torch.profiler");
    }
    expect(() => read([op("aten::add", 0, 1)])).toThrow("has no memory events");
  });
});
