import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MIB, makeProject, writeFiles } from "../testing.ts";
import { createGpuReader, readGpuFiles } from "./gpuFiles.ts";
import { gpuOfLine, pastPytorch, readGpuProcess, summaryOf, sumOf } from "./gpuMemory.ts";
import { gpuRecord } from "./testing.ts";

const known = readGpuProcess(JSON.stringify(gpuRecord(10)));
if (known === undefined) throw new Error("the record made by hand is not read");

describe("GPU memory by the calls that took it", () => {
  it("leaves PyTorch's own out of what went past it, and tells what is exact from what is not", () => {
    const [share, ...more] = gpuOfLine([known], "train.py", 7);
    expect(more).toEqual([]);
    expect(share?.asked).toEqual({ rows: 3, live: 12 * MIB, peak: 88 * MIB, most: 96 * MIB });
    expect(share?.fallen).toMatchObject({ rows: 1, peak: 20 * MIB });
    expect(share?.askers.map(({ name, peak }) => [name, (peak ?? 0) / MIB])).toEqual([
      ["cuDNN", 72],
      ["CUDA modules", 20],
      ["Pinned memory", 16],
    ]);
    expect(gpuOfLine([known], "train.py", 4)[0]).not.toHaveProperty("asked");
    expect(gpuOfLine([known], "train.py", 5)).toEqual([]);
  });

  it("has the process where a line held most first", () => {
    const more = readGpuProcess(JSON.stringify(gpuRecord(11)));
    const rows = more?.rows.map((row) => ({ ...row, peak: 2 * (row.peak ?? 0) })) ?? [];
    const found = gpuOfLine([known, ...(more === undefined ? [] : [{ ...more, rows }])], "train.py", 7);
    expect(found.map(({ process }) => process.pid)).toEqual([11, 10]);
  });

  it("does not take for 0 what is unknown", () => {
    expect(pastPytorch(known)?.asked).toEqual({ rows: 4, live: 12 * MIB, peak: 88 * MIB });
    expect(sumOf([])).toEqual({ rows: 0, live: 0, peak: 0, most: 0 });
    expect(readGpuProcess(JSON.stringify({ ...gpuRecord(1), peak: { ms: 1, bytes: null } }))).not.toHaveProperty(
      "peak",
    );
  });

  it("does not take for PyTorch's, nor for past it, what a library took that nobody knows", () => {
    const [context, pytorchs, cudnns] = gpuRecord(1).rows;
    const nobodys = { ...cudnns, library: null, pytorch: null };
    const read = readGpuProcess(JSON.stringify({ ...gpuRecord(1), rows: [pytorchs, cudnns, nobodys] }));
    expect(read?.rows[2]).not.toHaveProperty("pytorch");
    const share = read && gpuOfLine([read], "train.py", 7)[0];
    expect(share).toMatchObject({ asked: { peak: 64 * MIB }, unsure: { rows: 1, peak: 64 * MIB } });
    expect(share?.askers.map(({ name }) => name)).toEqual(["cuDNN", "library unknown"]);
    expect(read && summaryOf(read).parts.map(({ name, pytorch }) => [name, pytorch])).toEqual([
      ["PyTorch", true],
      ["cuDNN", false],
      ["library unknown", undefined],
    ]);
    // That CUDA was started by the allocator's first call makes the context no tensor's.
    const starter = { ...context, library: "libc10_cuda.so", pytorch: true };
    const started = readGpuProcess(JSON.stringify({ ...gpuRecord(1), rows: [starter] }));
    expect(started && gpuOfLine([started], "train.py", 4)[0]?.fallen?.peak).toBe(300 * MIB);
  });

  it.each([
    "",
    "[]",
    "{}",
    JSON.stringify({ ...gpuRecord(1), schema: 2 }),
    JSON.stringify({ ...gpuRecord(1), rows: Array(2002).fill(gpuRecord(1).rows[0]) }),
    JSON.stringify({ ...gpuRecord(1), rows: [{ ...gpuRecord(1).rows[0], live: -1 }] }),
    JSON.stringify({ ...gpuRecord(1), rows: [{ ...gpuRecord(1).rows[0], kind: "heap" }] }),
  ])("is refused where it is not as it should be: %#", (text) => {
    expect(readGpuProcess(text)).toBeUndefined();
  });

  it("opens no file outside the project", () => {
    const rows = [{ ...gpuRecord(1).rows[0], file: "../../etc/passwd" }];
    expect(readGpuProcess(JSON.stringify({ ...gpuRecord(1), rows }))?.rows[0]).not.toHaveProperty("path");
  });
});

describe("the files of a run", () => {
  let run: string;
  let remove: () => void;
  beforeEach(() => {
    ({ run, remove } = makeProject());
  });
  afterEach(() => remove());

  it("are read by their processes, and one that is damaged is named", async () => {
    expect(await readGpuFiles(run)).toEqual({ processes: [], problems: [] });
    writeFiles(run, {
      "gpu.11.json": "{",
      "gpu.9.json": JSON.stringify(gpuRecord(9)),
      "gpu.x.json": "",
      "gpu.out.9": "",
    });
    const { processes, problems } = await readGpuFiles(run);
    expect(processes.map(({ pid }) => pid)).toEqual([9]);
    expect(problems).toEqual(["gpu.11.json cannot be read, so what it has of the GPU is not shown."]);
    expect(await readGpuFiles(path.join(run, "none"))).toEqual({ processes: [], problems: [] });
  });

  it("are read up to a number, and how many are not is said", async () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`gpu.${at + 1}.json`, "{"]));
    writeFiles(run, files(65));
    expect((await readGpuFiles(run)).problems.at(-1)).toBe("GPU memory of 1 more process is not shown.");
    writeFiles(run, files(66));
    expect((await readGpuFiles(run)).problems.at(-1)).toBe("GPU memory of 2 more processes is not shown.");
  });

  it("are read again where they changed only", async () => {
    const reader = createGpuReader();
    writeFiles(run, { "gpu.9.json": JSON.stringify(gpuRecord(9)) });
    const first = await reader.read(run);
    expect(await reader.read(run)).toBe(first);
    writeFiles(run, { "gpu.9.json": "{" });
    expect((await reader.read(run)).processes).toEqual([]);
  });
});
