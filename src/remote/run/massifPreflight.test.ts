import { describe, expect, it } from "vitest";
import type { MassifRequest } from "../../protocol/run/run.ts";
import { type BoardFacts, expectedNeed, preflight } from "./massifPreflight.ts";

const MIB = 1024 * 1024;
const request: MassifRequest = {
  threshold: 0.1,
  depth: 100,
  pagesAsHeap: false,
  gpu: false,
  frames: true,
  maxHits: 3,
  lines: [],
  expected: { rssPeak: 600 * MIB, hits: 1000 },
};
const nano: BoardFacts = {
  name: "nano",
  board: { model: "NVIDIA Jetson Nano Developer Kit", machine: "aarch64", l4t: "32.7.1" },
  versions: { valgrind: "3.13.0", python: "3.6.9", torch: "1.10.0" },
  memAvailable: 3000 * MIB,
  swapFree: 2000 * MIB,
};
const withMemory = (memAvailable: number, swapFree?: number): BoardFacts => {
  const { swapFree: _, ...rest } = nano;
  return { ...rest, memAvailable: memAvailable * MIB, ...(swapFree === undefined ? {} : { swapFree: swapFree * MIB }) };
};

describe("before a run under massif", () => {
  it("asks nothing where it fits", () => {
    expect(preflight(request, nano)).toBeUndefined();
  });

  it("does not start without valgrind, and says how to get it", () => {
    expect(() => preflight(request, { ...nano, versions: { python: "3.6.9" } })).toThrow(
      expect.objectContaining({ code: "valgrind-missing", hint: expect.stringContaining("apt-get install valgrind") }),
    );
  });

  it("does not start where memory may not be made executable, whatever valgrind said of itself", () => {
    for (const versions of [nano.versions, {}])
      expect(() => preflight(request, { ...nano, versions, execMemory: false })).toThrow(
        expect.objectContaining({ code: "valgrind-refused", hint: expect.stringContaining("line engine") }),
      );
    expect(preflight(request, { ...nano, execMemory: true })).toBeUndefined();
  });

  it("compares what it needs with memory and swap, and counts pages as the way out", () => {
    expect(expectedNeed(request, true)).toBe((600 + 950 + 160) * MIB);
    expect(preflight(request, withMemory(1300, 410))).toBeUndefined();
    expect(preflight(request, withMemory(1300, 409))).toEqual({
      message:
        "Under valgrind this run is expected to need about 1710.0 MiB (the script's own 600.0 MiB in its last run, and " +
        "the rest for valgrind), but nano has 1300.0 MiB of memory and 409.0 MiB of swap free. It may be ended by the " +
        "kernel before it is done.",
      suggestions: [
        "Profile fewer or smaller batches.",
        "Count mapped pages instead of heap blocks: about 870.0 MiB.",
        "Leave Python's lines out of the stacks: about 1550.0 MiB.",
        "End other programs on the board, or add swap.",
      ],
    });
    expect(preflight({ ...request, pagesAsHeap: true }, withMemory(900))).toBeUndefined();
    const pages = preflight({ ...request, pagesAsHeap: true }, withMemory(800));
    expect(pages?.suggestions).toEqual([
      "Profile fewer or smaller batches.",
      "End other programs on the board, or add swap.",
    ]);
    expect(pages?.message).not.toContain("of swap");
  });

  it("says that it does not know the script's own need where nothing was measured", () => {
    const { expected: _, ...unmeasured } = request;
    expect(preflight(unmeasured, withMemory(1300, 0))?.message).toContain(
      "about 1360.0 MiB (at least that with PyTorch; no earlier run says what the script itself needs)",
    );
    expect(
      preflight(unmeasured, { ...withMemory(300), versions: { valgrind: "3.19.0", python: "3.8.10" } }),
    ).toBeUndefined();
  });

  it("knows a script that did not load PyTorch by its last run", () => {
    const small = { ...request, expected: { rssPeak: 60 * MIB } };
    expect(preflight(small, withMemory(200))).toBeUndefined();
    expect(preflight(small, withMemory(199))?.message).toContain("about 200.0 MiB");
  });

  it("does not ask about memory that the board could not tell", () => {
    const { memAvailable: _, ...unknown } = nano;
    expect(preflight(request, unknown)).toBeUndefined();
  });

  it("warns of an old valgrind on a processor newer than it", () => {
    const orin = { ...nano, board: { model: "NVIDIA Jetson Orin Nano Developer Kit", machine: "aarch64" } };
    expect(preflight(request, orin)?.message).toContain("Valgrind 3.13.0 does not hide");
    expect(preflight(request, { ...nano, board: { machine: "aarch64" } })?.message).toContain("SIGILL");
    expect(preflight(request, { ...orin, versions: { ...orin.versions, valgrind: "3.15.0" } })).toBeUndefined();
    expect(preflight(request, { ...orin, board: { machine: "x86_64" } })).toBeUndefined();
  });

  it("warns where the stacks cannot have Python's lines, and asks once for everything", () => {
    const python = (version: string, more: Partial<BoardFacts> = {}): BoardFacts => ({
      ...nano,
      ...more,
      versions: { ...nano.versions, python: version },
    });
    expect(preflight(request, python("3.15.2"))).toBeUndefined();
    expect(preflight(request, python("3.16.0"))?.message).toContain("Python 3.16.0 cannot have its lines");
    expect(preflight(request, python("3.13.0", { gil: false }))?.message).toContain("free-threaded");
    expect(preflight({ ...request, frames: false }, python("3.16.0"))).toBeUndefined();
    const both = preflight(request, python("3.16.0", { memAvailable: 100 * MIB, swapFree: 0 }));
    expect(both?.message).toMatch(/expected to need .* cannot have its lines/);
    expect(both?.suggestions.at(-1)).toContain("3.6 to 3.15");
  });
});
