import { describe, expect, it } from "vitest";
import type { MemoryTrace } from "./model.ts";
import { momentsOf } from "./moments.ts";
import { heldAt, peakOf } from "./peak.ts";

/** Events as [change, address, call]; `start` is what was there before the trace. */
function traceOf(events: readonly (readonly [number, number, number])[], start = 0): MemoryTrace {
  let total = start;
  const device = {
    name: "CUDA 0",
    t: Float64Array.from(events, (_, at) => at),
    bytes: Float64Array.from(events, ([bytes]) => bytes),
    address: Float64Array.from(events, ([, address]) => address),
    allocated: Float64Array.from(events, ([bytes]) => {
      total += bytes;
      return total;
    }),
    reserved: new Float64Array(events.length).fill(Number.NaN),
    call: Int32Array.from(events, ([, , call]) => call),
    totals: "trace",
  } as const;
  return {
    devices: [device],
    calls: { name: ["aten::linear", "aten::empty", "aten::relu"], parent: [-1, 0, -1] },
    durationMs: events.length - 1,
    problems: [],
  };
}

const device = (trace: MemoryTrace) => {
  const [first] = trace.devices;
  if (first === undefined) throw new Error("no device");
  return first;
};

describe("the peak of a device", () => {
  it("is the first event after which the most was allocated", () => {
    const trace = traceOf([
      [5, 1, 1],
      [7, 2, 1],
      [-7, 2, -1],
      [7, 3, 2],
    ]);
    expect(peakOf(device(trace))).toBe(1);
    expect(peakOf(device(traceOf([])))).toBe(-1);
  });

  it("belongs to the operators that allocated what is live then, heaviest first", () => {
    const trace = traceOf([
      [5, 1, 1],
      [6, 2, 1],
      [20, 3, 2],
      [-5, 1, -1],
      [9, 4, -1],
    ]);
    expect(heldAt(device(trace), 4, trace)).toEqual({
      before: 0,
      holdings: [
        { path: ["aten::relu"], bytes: 20, allocations: 1 },
        { path: [], bytes: 9, allocations: 1 },
        { path: ["aten::linear", "aten::empty"], bytes: 6, allocations: 1 },
      ],
    });
  });

  it("tells what was allocated before the trace began", () => {
    const trace = traceOf(
      [
        [5, 1, 1],
        [-40, 9, -1],
      ],
      100,
    );
    expect(heldAt(device(trace), 0, trace).before).toBe(100);
    expect(heldAt(device(trace), 1, trace)).toMatchObject({ before: 60, holdings: [{ bytes: 5 }] });
  });
});

describe("moments to draw", () => {
  it("are all events where there is room, with what each device held", () => {
    const trace = traceOf([
      [5, 1, 1],
      [-5, 1, -1],
    ]);
    const twice = { ...trace, devices: [device(trace), { ...device(trace), name: "CPU", t: Float64Array.of(0.5, 9) }] };
    expect(momentsOf(twice, 100)).toEqual([
      {
        t: 0,
        device: 0,
        bytes: 5,
        allocated: [5, null],
        reserved: [null, null],
        path: ["aten::linear", "aten::empty"],
      },
      {
        t: 0.5,
        device: 1,
        bytes: 5,
        allocated: [5, 5],
        reserved: [null, null],
        path: ["aten::linear", "aten::empty"],
      },
      { t: 1, device: 0, bytes: -5, allocated: [0, 5], reserved: [null, null], path: [] },
      { t: 9, device: 1, bytes: -5, allocated: [0, 0], reserved: [null, null], path: [] },
    ]);
  });

  it("keep the peak, the beginning and the end of many", () => {
    const events = Array.from(
      { length: 5_000 },
      (_, at) => [at === 3_210 ? 999 : at % 2 === 0 ? 1 : -1, at, -1] as const,
    );
    const moments = momentsOf(traceOf(events), 100);
    expect(moments.length).toBeLessThanOrEqual(100);
    expect(moments.length).toBeGreaterThan(80);
    expect(moments.map(({ t }) => t)).toContain(3_210);
    expect([moments[0]?.t, moments.at(-1)?.t]).toEqual([0, 4_999]);
  });
});
