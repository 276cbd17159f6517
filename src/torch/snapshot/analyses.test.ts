import { describe, expect, it } from "vitest";
import { type Picklable, pickle } from "../pickle/testing.ts";
import { heldBy, heldOver, largestIn, maximumOf, thinned } from "./activeMemory.ts";
import { allocationsOf } from "./allocations.ts";
import { deviceMemories } from "./deviceMemory.ts";
import { liveLines } from "./liveLines.ts";
import { liveTree } from "./liveTree.ts";
import { outOfMemories } from "./outOfMemory.ts";
import { createProjectFiles } from "./projectFiles.ts";
import { readSnapshot } from "./reading/readSnapshot.ts";
import { frameOf, framesOf, operationOf } from "./stackLines.ts";
import { stateAt } from "./stateAt.ts";
import { BASE, smallSnapshot, trainingSnapshot } from "./testing.ts";
import { devicesOf, totalsOf } from "./totals.ts";

const MIB = 1024 * 1024;
const read = (value: Picklable) => readSnapshot(pickle(value));
const snapshot = read(smallSnapshot());
const allocations = allocationsOf(snapshot, 0);
const inMib = (bytes: Iterable<number>) => Array.from(bytes, (size) => size / MIB);

describe("a device's totals", () => {
  it("are the file's own sums", () => {
    expect(devicesOf(snapshot)).toEqual([0]);
    expect(totalsOf(snapshot, 0)).toEqual({
      segments: 2,
      reserved: 22 * MIB,
      allocated: 7 * MIB,
      active: 7 * MIB,
      requested: 7 * MIB,
      inactiveSplit: 15 * MIB,
      cached: 0,
      largestFree: 8 * MIB,
    });
  });

  it("do not say what was requested where a block does not", () => {
    const segment = smallSnapshot().segments[0];
    const blocks = [{ size: 20 * MIB, state: "active_allocated" }];
    const totals = totalsOf(read([{ ...segment, allocated_size: 20 * MIB, active_size: 20 * MIB, blocks }]), 0);
    expect(totals).not.toHaveProperty("requested");
    expect(totals.largestFree).toBe(0);
  });
});

describe("memory over time", () => {
  it("begins with what was live before the first event, and ends with what the snapshot has", () => {
    const held = heldOver(allocations);
    expect(inMib(held)).toEqual([12, 18, 20, 20, 14, 14, 14, 15, 15, 7]);
    expect(maximumOf(held)).toEqual({ moment: 2, bytes: 20 * MIB });
    expect(held.at(-1)).toBe(totalsOf(snapshot, 0).requested);
  });

  it("knows of each allocation when it was live, the last to end first among those from before", () => {
    expect(inMib(allocations.size)).toEqual([4, 8, 6, 2, 1]);
    expect([...allocations.start]).toEqual([0, 0, 1, 2, 7]);
    expect([...allocations.freed]).toEqual([10, 8, 3, 10, 10]);
    expect([...allocations.end]).toEqual([10, 9, 4, 10, 10]);
    expect(allocations.stack[0]).toBeGreaterThanOrEqual(0);
    // The stack that freed it says nothing of who allocated it.
    expect(allocations.stack[1]).toBe(-1);
    expect(allocations.problems).toEqual([]);
  });

  it("has the largest allocations of a range as layers, which add up to the whole with the rest", () => {
    const range = { from: 2, to: 7 };
    const { layers, others } = largestIn(allocations, range, 2);
    expect([...layers]).toEqual([1, 2]);
    expect(others).toBe(3);
    expect(inMib(heldBy(allocations, layers, range))).toEqual([14, 14, 8, 8, 8, 8]);
    expect(largestIn(allocations, { from: 4, to: 5 }, 9).layers).toHaveLength(3);
    expect(largestIn(allocations, range, 0)).toEqual({ layers: new Uint32Array(0), others: 5 });
  });

  it("is thinned to few moments without losing an extreme", () => {
    const held = Float64Array.from({ length: 1000 }, (_, at) => (at === 333 ? 1e9 : at === 777 ? -5 : at % 7));
    const moments = thinned(held, { from: 10, to: 990 }, 40);
    expect(moments.length).toBeLessThanOrEqual(40);
    expect([...moments]).toEqual([...moments].sort((a, b) => a - b));
    expect(moments).toContain(333);
    expect(moments).toContain(777);
    expect([moments[0], moments.at(-1)]).toEqual([10, 990]);
    expect([...thinned(held, { from: 3, to: 5 }, 40)]).toEqual([3, 4, 5]);
    expect([...thinned(held, { from: 3, to: 500 }, 2)]).toEqual([3, 500]);
  });

  it("ends with the file's own sum in a long run too, and goes there by its events", () => {
    const long = read(trainingSnapshot({ seed: 2, events: 5_000, frames: 5, places: 60 }));
    const [memory] = deviceMemories(long);
    expect(memory?.held.at(-1)).toBe(memory?.totals.requested);
    expect(memory?.allocations.problems).toEqual([]);
    const events = long.events[0];
    let [held, highest] = [0, 0];
    events?.action.forEach((action, event) => {
      const size = events.size[event] ?? 0;
      held += action === 0 ? size : action === 2 ? -size : 0;
      highest = Math.max(highest, held);
    });
    expect(memory?.maximum.bytes).toBe(highest);
  });

  it("says where events and the end do not fit, and still ends as the file does", () => {
    const story = smallSnapshot();
    const [trace = []] = story.device_traces;
    const [first, second] = trace;
    const again = { ...second, addr: BASE + 40 * MIB };
    const odd = read({ ...story, device_traces: [[{ ...first }, ...trace, again]] });
    const { problems } = allocationsOf(odd, 0);
    expect(problems).toEqual([
      expect.stringMatching(/^1 allocations, 2\.0 MiB in all, were freed without an event/),
      expect.stringMatching(/^1 times an address was allocated that was in use/),
    ]);
    expect(heldOver(allocationsOf(odd, 0)).at(-1)).toBe(7 * MIB);
  });

  it("is one moment where the file has no events", () => {
    const { segments } = smallSnapshot();
    const [memory] = deviceMemories(read({ segments }));
    expect(inMib(memory?.held ?? [])).toEqual([7]);
    expect(memory?.timeAt(0)).toBeUndefined();
  });
});

describe("the allocator's state at a moment", () => {
  const state = (moment: number) =>
    stateAt(snapshot, allocations, moment).segments.map(({ range, live, held }) => ({
      from: Number(range.start - BigInt(BASE)) / MIB,
      size: Number(range.end - range.start) / MIB,
      live: live.map((place) => Number((allocations.address[place] ?? 0n) - BigInt(BASE)) / MIB),
      held: held / MIB,
    }));

  it("has the segments that were there then, with what was live in them by address", () => {
    expect(state(2)).toEqual([{ from: 0, size: 20, live: [0, 8, 12, 18], held: 20 }]);
    expect(state(5)).toEqual([{ from: 0, size: 20, live: [0, 8, 18], held: 14 }]);
    expect(state(9)).toEqual([
      { from: 0, size: 20, live: [8, 18], held: 6 },
      { from: 64, size: 2, live: [64], held: 1 },
    ]);
  });

  it("has a segment that was given back since, and expandable ones piece by piece", () => {
    const story = smallSnapshot();
    const piece = (action: string, offset: number, size: number) => {
      return { action, addr: BASE + offset * MIB, size: size * MIB, stream: 0, frames: [] };
    };
    const [first, second] = story.segments;
    const grown = read({
      segments: [{ ...first, is_expandable: true }, ...(second ? [second] : [])],
      device_traces: [
        [
          piece("segment_free", 100, 2),
          piece("segment_map", 10, 10),
          piece("segment_unmap", 20, 4),
          piece("segment_map", 0, 2),
        ],
      ],
    });
    const ranges = (moment: number) =>
      stateAt(grown, allocationsOf(grown, 0), moment).segments.map(({ range }) => [
        Number(range.start - BigInt(BASE)) / MIB,
        Number(range.end - BigInt(BASE)) / MIB,
        range.segment?.type,
      ]);
    expect(ranges(4)).toEqual([
      [0, 20, "large"],
      [64, 66, "small"],
    ]);
    expect(ranges(3)).toEqual([
      [2, 20, "large"],
      [64, 66, "small"],
    ]);
    expect(ranges(2)).toEqual([
      [2, 24, "large"],
      [64, 66, "small"],
    ]);
    expect(ranges(1)).toEqual([
      [2, 10, "large"],
      [20, 24, undefined],
      [64, 66, "small"],
    ]);
    expect(ranges(0)).toEqual([
      [2, 10, "large"],
      [20, 24, undefined],
      [64, 66, "small"],
      [100, 102, undefined],
    ]);
  });

  it("counts what lies in no known segment", () => {
    const [trace = []] = smallSnapshot().device_traces;
    const lost = read({ segments: [], device_traces: [trace] });
    const { homeless } = stateAt(lost, allocationsOf(lost, 0), 2);
    expect(homeless).toHaveLength(3);
  });
});

describe("live bytes by stack", () => {
  const tree = (moment: number, choice: "python" | "all") => {
    const { frames, frame, parent, bytes } = liveTree(snapshot, allocations, moment, choice);
    return [...frame].map((place, node) => [
      node === 0 ? "all" : (frames[place]?.name ?? "none"),
      parent[node],
      (bytes[node] ?? 0) / MIB,
    ]);
  };

  it("have the allocating frame below the root, then its callers, in pre-order", () => {
    expect(tree(2, "all")).toEqual([
      ["all", 0, 20],
      ["at::empty(c10::ArrayRef<long>)", 0, 12],
      ["<module>", 1, 4],
      ["_call_impl", 1, 8],
      ["forward", 3, 8],
      ["_call_impl", 4, 8],
      ["<module>", 5, 8],
      ["none", 0, 8],
    ]);
  });

  it("are without C++ frames where only Python is wanted", () => {
    expect(tree(2, "python").map(([name]) => name)).toEqual([
      "all",
      "<module>",
      "_call_impl",
      "forward",
      "_call_impl",
      "<module>",
      "none",
    ]);
  });

  it("are those of the innermost line of the project, not of a library", () => {
    const files = createProjectFiles("/home/nano/project/");
    expect(liveLines(snapshot, allocations, 2, files)).toEqual({
      lines: [
        { path: "net.py", line: 12, function: "forward", bytes: 8 * MIB, allocations: 2 },
        { path: "train.py", line: 33, function: "<module>", bytes: 4 * MIB, allocations: 1 },
      ],
      operations: [],
      withoutStack: 8 * MIB,
      total: 20 * MIB,
    });
    const elsewhere = liveLines(snapshot, allocations, 2, createProjectFiles(undefined));
    expect(elsewhere.lines[0]?.path).toBe("/home/nano/project/net.py");
  });
});

describe("the line of a stack", () => {
  it("is the innermost one in the project, else the innermost that is of no library", () => {
    const stack = framesOf(snapshot, snapshot.events[0]?.stack[0] ?? -1);
    expect(frameOf(stack, () => false)?.file).toBe("/home/nano/project/net.py");
    expect(frameOf(stack, (file) => file.endsWith("train.py"))?.line).toBe(33);
    expect(frameOf(stack.slice(0, 2), () => true)).toBeUndefined();
    expect(framesOf(snapshot, -1)).toEqual([]);
  });

  it("is the operation where there is none: a backward by its name, else what is not about allocating", () => {
    const frame = (name: string) => ({ name, file: "??", line: 0 });
    const allocating = [
      frame("torch::unwind::unwind()"),
      frame("c10::cuda::malloc()"),
      frame("at::detail::empty_cuda()"),
    ];
    const multiply = frame("at::native::mm(at::Tensor const&)");
    const backward = frame("torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)");
    expect(operationOf([...allocating, multiply, backward])).toBe("MmBackward0");
    expect(operationOf([...allocating, multiply])).toBe("at::native::mm(at::Tensor const&)");
    expect(operationOf(allocating)).toBe("torch::unwind::unwind()");
    expect(operationOf([])).toBeUndefined();
  });

  it("is found in the project by any way that its path is written", () => {
    const { inProject, pathOf } = createProjectFiles("/home/nano/project");
    expect(inProject("/home/nano/project/scripts/../net.py")).toBe("net.py");
    expect(inProject("/home/nano/project2/net.py")).toBeUndefined();
    expect(inProject("/home/nano/project/../secret.py")).toBeUndefined();
    expect(pathOf("/srv//a/./b.py")).toBe("/srv/a/b.py");
    expect(pathOf("../b.py")).toBe("../b.py");
  });
});

describe("requests that failed", () => {
  it("have what was asked for, what CUDA had free and when", () => {
    const [table] = snapshot.events;
    expect(table && outOfMemories(table)).toEqual([
      { moment: 4, requested: 16 * MIB, deviceFree: 3 * MIB, stack: expect.any(Number) },
    ]);
  });
});
