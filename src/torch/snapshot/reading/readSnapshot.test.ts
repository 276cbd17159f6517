import { describe, expect, it } from "vitest";
import { UserError } from "../../../profile/userError.ts";
import { type Picklable, pickle, Tuple } from "../../pickle/testing.ts";
import { annotatedSpans, spansAt } from "../annotations.ts";
import { ACTIONS } from "../model.ts";
import { annotations, BASE, STACKS, START_US, smallSnapshot, trainingSnapshot } from "../testing.ts";
import { createSnapshotReader, readSnapshot } from "./readSnapshot.ts";

const MIB = 1024 * 1024;
const read = (value: Picklable) => readSnapshot(pickle(value));
const small = smallSnapshot;

function refusal(value: Picklable): UserError {
  try {
    read(value);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("It was read.");
}

/** The small snapshot with one of its dicts changed. */
function changed(
  change: (snapshot: { segments: Record<string, Picklable>[]; traces: Record<string, Picklable>[] }) => void,
) {
  const snapshot = small();
  const segments = snapshot.segments.map((segment) => ({ ...segment }));
  const traces = (snapshot.device_traces[0] ?? []).map((event) => ({ ...event }));
  change({ segments, traces });
  return { ...snapshot, segments, device_traces: [traces] };
}

describe("a snapshot", () => {
  it("has its segments, blocks, events and settings", () => {
    const snapshot = read(small());
    expect(snapshot.segments[0]).toMatchObject({
      device: 0,
      address: BigInt(BASE),
      totalSize: 20 * MIB,
      allocatedSize: 6 * MIB,
      activeSize: 6 * MIB,
      stream: 0n,
      type: "large",
      expandable: false,
    });
    expect(snapshot.segments[0]).not.toHaveProperty("pool");
    expect(snapshot.segments[1]?.pool).toBe("0, 7");
    expect(snapshot.segments[0]?.blocks.slice(0, 2)).toEqual([
      { address: BigInt(BASE), size: 8 * MIB, state: "inactive", stack: -1 },
      {
        address: BigInt(BASE + 8 * MIB),
        size: 4 * MIB,
        requested: 4 * MIB,
        state: "active_allocated",
        stack: expect.any(Number),
      },
    ]);
    const [events] = snapshot.events;
    expect([...(events?.action ?? [])].map((action) => ACTIONS[action])).toEqual([
      "alloc",
      "alloc",
      "free_requested",
      "free_completed",
      "oom",
      "segment_alloc",
      "alloc",
      "free_requested",
      "free_completed",
    ]);
    expect(events?.address[0]).toBe(BigInt(BASE + 12 * MIB));
    expect([...(events?.deviceFree ?? [])]).toEqual([[4, 3 * MIB]]);
    expect(snapshot.settings).toEqual({ expandable_segments: "false", roundup: "1: 0, 2: 4" });
    expect(snapshot.problems).toEqual([]);
  });

  it("has the parts of the program that record_function named; what is no such annotation is counted", () => {
    const odd = [{ name: "x", stage: "MIDDLE", device: 0, time_us: 1 }, { device: 0, time_us: 1 }, { stage: 1 }, 7];
    const snapshot = read({ ...small(), external_annotations: [...annotations(), ...odd] });
    expect(snapshot.annotations).toHaveLength(4);
    expect(snapshot.annotations[0]).toMatchObject({ name: "step", stage: "START", device: 0 });
    expect(snapshot.problems).toEqual(["4 annotations are not as PyTorch writes them, and are passed over."]);
    const spans = annotatedSpans(snapshot, 0);
    expect(spans).toEqual([
      { name: "before", to: 2 },
      { name: "step", from: 0 },
      { name: "forward", from: 1, to: 2 },
    ]);
    expect(spansAt(spans, 2).map(({ name }) => name)).toEqual(["before", "step", "forward"]);
    expect(spansAt(spans, 3).map(({ name }) => name)).toEqual(["step"]);
    expect(annotatedSpans(snapshot, 1)).toEqual([]);
  });

  it("has outer parts before those within them, also where only their ends were kept", () => {
    const end = (name: string, us: number) => ({ stage: "END", name, device: 0, time_us: START_US + us });
    const snapshot = read({ ...small(), external_annotations: [end("inner", 1500), end("outer", 2500)] });
    expect(annotatedSpans(snapshot, 0)).toEqual([
      { name: "outer", to: 2 },
      { name: "inner", to: 1 },
    ]);
  });

  it("keeps equal stacks once, innermost frame first", () => {
    const snapshot = read(small());
    expect(snapshot.stacks).toHaveLength(2);
    const stack = snapshot.stacks[snapshot.events[0]?.stack[0] ?? -1] ?? [];
    expect(stack.map((place) => snapshot.frames[place])).toEqual(
      STACKS.forward.map(({ name, filename, line }) => ({ name, file: filename, line })),
    );
  });

  it("is the same when it is read in pieces", () => {
    const bytes = pickle(trainingSnapshot({ seed: 3, events: 500, frames: 8, places: 20 }));
    const whole = readSnapshot(bytes);
    const reader = createSnapshotReader();
    for (let at = 0; at < bytes.length; at += 1000) reader.push(bytes.subarray(at, at + 1000));
    expect(reader.finish()).toEqual(whole);
    expect(whole.events[0]?.action.length).toBeGreaterThanOrEqual(500);
  });

  it("of torch 1.13 and 2.0 has blocks without addresses, and their stacks in a history", () => {
    const history = [
      { addr: BASE, real_size: 700, frames: STACKS.script },
      { addr: BASE, real_size: 9, frames: [] },
    ];
    const segment = {
      device: 1,
      address: BASE,
      total_size: 3072,
      allocated_size: 1024,
      active_size: 2048,
      stream: 0,
      segment_type: "small",
      blocks: [
        { size: 1024, state: "active_allocated", history },
        { size: 1024, state: "active_pending_free" },
        { size: 1024, state: "inactive", history },
      ],
    };
    const stack = expect.any(Number);
    const blocks = [
      { address: BigInt(BASE), size: 1024, requested: 700, state: "active_allocated", stack },
      { address: BigInt(BASE + 1024), size: 1024, state: "active_awaiting_free", stack: -1 },
      { address: BigInt(BASE + 2048), size: 1024, state: "inactive", stack: -1 },
    ];
    expect(read({ segments: [segment] }).segments[0]?.blocks).toEqual(blocks);
    // What torch.cuda.memory_snapshot() gives.
    expect(read([segment])).toMatchObject({ segments: [{ device: 1, blocks }], events: [], problems: [] });
  });

  it("may have addresses of 64 bits, expandable segments and keys that are not known", () => {
    const high = 2n ** 63n + 4096n;
    const snapshot = read(
      changed(({ segments, traces }) => {
        Object.assign(segments[1] ?? {}, {
          is_expandable: true,
          registered: [{ some: "thing" }],
          blocks: [],
          address: high,
        });
        Object.assign(traces[0] ?? {}, { addr: high, pool_id: new Tuple(1, 2), frames: [] });
      }),
    );
    expect(snapshot.segments[1]).toMatchObject({ address: high, expandable: true });
    expect(snapshot.events[0]?.address[0]).toBe(high);
    expect(snapshot.events[0]?.stack[0]).toBe(-1);
  });

  it("may be of several devices, and of none", () => {
    const { device_traces, ...rest } = small();
    const snapshot = read({ ...rest, device_traces: [[], ...device_traces, []] });
    expect(snapshot.events.map(({ device }) => device)).toEqual([1]);
    expect(read({ segments: [], device_traces: [[]] })).toMatchObject({ segments: [], events: [] });
  });

  it("says which events it does not know, and that sums do not fit, and reads the rest", () => {
    const snapshot = read(
      changed(({ segments, traces }) => {
        Object.assign(traces[0] ?? {}, { action: "teleport" });
        Object.assign(segments[1] ?? {}, { active_size: 3 });
      }),
    );
    expect(snapshot.events[0]?.action[0]).toBe(255);
    expect(snapshot.problems).toEqual([
      '1 events of the kind "teleport", which is not known, are passed over.',
      "In 1 of 2 segments the blocks do not add up to what the segment says of itself.",
    ]);
    const followed = createSnapshotReader();
    followed.push(pickle(small()));
    followed.push(new Uint8Array(3));
    expect(followed.finish().problems).toEqual(["After the snapshot the file continues for 3 B, which was not read."]);
  });

  it.each<[string, Parameters<typeof changed>[0], string]>([
    [
      "a size is a text",
      ({ traces }) => Object.assign(traces[2] ?? {}, { size: "big" }),
      '"size" of event 2 is a text',
    ],
    [
      "a size is negative",
      ({ traces }) => Object.assign(traces[2] ?? {}, { size: -1 }),
      '"size" of event 2 is the number -1',
    ],
    ["an address is None", ({ traces }) => Object.assign(traces[1] ?? {}, { addr: null }), '"addr" of event 1 is None'],
    [
      "an event has no action",
      ({ traces }) => Object.assign(traces[1] ?? {}, { action: 3 }),
      '"action" of event 1 is the number 3',
    ],
    [
      "a stack is a number",
      ({ traces }) => Object.assign(traces[1] ?? {}, { frames: 3 }),
      '"frames" of event 1 is the number 3',
    ],
    [
      "a segment has no size",
      ({ segments }) => delete segments[1]?.["total_size"],
      '"total_size" of segment 1 is missing',
    ],
    [
      "blocks are no blocks",
      ({ segments }) => Object.assign(segments[0] ?? {}, { blocks: [1] }),
      '"blocks" of segment 0 is the number 1',
    ],
    [
      "a pool is a text",
      ({ segments }) => Object.assign(segments[0] ?? {}, { segment_pool_id: "x" }),
      '"segment_pool_id" of segment 0 is a text',
    ],
  ])("names the key and its place where %s", (_, change, message) => {
    const error = refusal(changed(change));
    expect(error.code).toBe("snapshot-damaged");
    expect(error.message).toContain(message);
    expect(error.hint).toBeDefined();
  });

  it("is told from other data", () => {
    for (const value of [null, 3, "text", { other: 1 }, [1], new Tuple(1)]) {
      expect(refusal(value).code).toBe("snapshot-foreign");
    }
    expect(refusal({ segments: 3 }).message).toContain('"segments" of the snapshot is the number 3');
    expect(refusal({ segments: [], device_traces: [[], 3] }).message).toContain(
      '"device_traces" of the snapshot is the number 3',
    );
  });

  it("does not take events twice where two devices' lists are one", () => {
    const [trace = []] = small().device_traces;
    expect(refusal({ segments: [], device_traces: [trace, [...trace]] }).message).toContain("are not one device's");
  });
});
