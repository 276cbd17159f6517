import { describe, expect, it } from "vitest";
import { MIB } from "../../testing.ts";
import { advisedBy, FULL, type TestRun } from "../testing.ts";

const twice = (source: string, rows: NonNullable<TestRun["rows"]>, more: TestRun = {}) =>
  advisedBy("twice-in-memory", { source, rows, loads: FULL, ended: "cuda-out-of-memory", ...more });

describe("what is made on the CPU and moved to the GPU", () => {
  it.each([
    ["a tensor by its own name", "x = torch.zeros(1, 2)\nprint(1)\nx = x.to(device)\n"],
    ["a module in place", "x = Net(3)\nprint(1)\nx.cuda()\n"],
    ["a part of an object", "self.x = load()\nprint(1)\nself.x = self.x.to('cuda')\n"],
  ])("is told at the line that made it: %s", (_, source) => {
    expect(twice(source, { 1: { net: 120 }, 3: { net: 5, cuda: 118 } })).toMatchObject({
      evidence: ["train.py:1 took 120.0 MiB of the CPU's memory", "train.py:3 moves it to the GPU"],
      place: { path: "train.py", line: 1 },
      saves: { bytes: 120 * MIB },
      steps: [],
    });
  });

  it("is told in one line too, by what the line held for a while", () => {
    expect(twice("x = torch.randn(9, 9).cuda()\n", { 1: { net: 2, peak: 90, cuda: 88 } })).toMatchObject({
      evidence: ["train.py:1 took 90.0 MiB of the CPU's memory", "The same line moves it to the GPU"],
    });
  });

  it("is not told by the names alone, where a batch was moved, or to the CPU", () => {
    const source = "x = load()\nfor step in steps:\n    x = x.to(device)\n";
    expect(twice(source, { 1: { net: 120 }, 3: { net: 5, cuda: 1 } })).toBeUndefined();
    expect(twice(source, { 1: { net: 120 }, 3: { net: 5 } })).toBeUndefined();
  });

  it("is told where CUDA had no room for the copy", () => {
    const source = "x = load()\nprint(1)\nx = x.to(device)\n";
    const rows = { 1: { net: 120 }, 3: { net: 5, cuda: 0 } };
    const place = { path: "train.py", line: 3 };
    expect(twice(source, rows, { report: { place } })?.saves?.bytes).toBe(120 * MIB);
    expect(twice(source, rows, { report: { place: { ...place, line: 2 } } })).toBeUndefined();
    expect(twice(source, rows, { report: { place }, ended: "killed" })).toBeUndefined();
  });

  it.each([
    ["it was made on the GPU", "x = torch.zeros(1, device=device)\nx = x.to(device)\n"],
    ["it is another's", "y = torch.zeros(1)\nx = x.to(device)\n"],
    ["it becomes another", "x = torch.zeros(1)\ny = x.to(device)\n"],
    ["it is compared", "x == torch.zeros(1)\nx = x.to(device)\n"],
    ["it is little", "z = torch.zeros(1)\nx = torch.zeros(1)\nx = x.to(device)\n"],
  ])("is not told where %s", (_, source) => {
    expect(twice(source, { 1: { net: 120 }, 2: { net: 4, cuda: 118 }, 3: { net: 4, cuda: 118 } })).toBeUndefined();
  });

  it("is not told on a PC, whose GPU has its own memory, without CUDA, or where there was room", () => {
    const source = "x = torch.zeros(1, 2)\nx = x.to(device)\n";
    const rows = { 1: { net: 120 }, 2: { net: 5, cuda: 118 } };
    expect(twice(source, rows, { release: "PC" })).toBeUndefined();
    const loads = [{ t: 9, run: { anon: 16_000, file: 9, shmem: 0 } }];
    expect(advisedBy("twice-in-memory", { source, rows, loads, ended: "memory-error" })).toBeUndefined();
    const cuda = { allocated: 120, reserved: 140, context: 90 };
    const roomy = [{ t: 9, run: { anon: 200, file: 9, shmem: 0 }, cuda }];
    expect(advisedBy("twice-in-memory", { source, rows, loads: roomy })).toBeUndefined();
  });
});
