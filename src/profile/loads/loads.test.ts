import { describe, expect, it } from "vitest";
import { createLineTable } from "../lines/lineTable.ts";
import type { FileProfile, LineRow } from "../model.ts";
import { lineLoads } from "./lineLoads.ts";
import { loadedFiles, loadFigures } from "./loadText.ts";

const MIB = 2 ** 20;
const LOAD = {
  record: "load",
  t: 900,
  for_ms: 1200,
  pid: 7,
  file: 0,
  line: 3,
  path: "/data/m.pt",
  size: 100 * MIB,
  position: 90 * MIB,
  mapped: null,
  resident: null,
  copied: null,
  before: { rss: 50 * MIB, anon: 20 * MIB, mapped: 30 * MIB, cached: 5, mem_available: 8 },
  most: { rss: 240 * MIB, anon: 205 * MIB, mapped: 35 * MIB, nvmap: 9 },
};

async function stateOf(...records: readonly object[]) {
  const table = createLineTable("lines.jsonl");
  table.add(JSON.stringify({ schema: 1, record: "header", run: "r1" }));
  table.add(JSON.stringify({ record: "file", file: 0, path: "train.py", sha256: "" }));
  for (const record of records) table.add(JSON.stringify(record));
  return await table.state();
}

describe("a load record", () => {
  it("is a file at a line, with what is not known left out", async () => {
    const { loads } = await stateOf(LOAD);
    expect(loads).toEqual([
      {
        pid: 7,
        at: { path: "train.py", line: 3 },
        path: "/data/m.pt",
        size: 100 * MIB,
        position: 90 * MIB,
        forMs: 1200,
        before: { rss: 50 * MIB, mapped: 30 * MIB },
        most: { rss: 240 * MIB, mapped: 35 * MIB, nvmap: 9 },
      },
    ]);
  });

  it("takes the place of an earlier one of the same process, line and file", async () => {
    const { loads } = await stateOf(LOAD, { ...LOAD, path: "/b" }, { ...LOAD, size: 5 }, { ...LOAD, pid: 8 });
    expect(loads.map(({ pid, path, size }) => [pid, path, size])).toEqual([
      [7, "/data/m.pt", 5],
      [7, "/b", 100 * MIB],
      [8, "/data/m.pt", 100 * MIB],
    ]);
  });

  it.each<[string, object]>([
    ["no size", { size: null }],
    ["a negative size", { size: -1 }],
    ["no path", { path: "" }],
    ["an endless path", { path: "x".repeat(5000) }],
    ["an unknown file", { file: 4 }],
    ["no figures", { most: 5 }],
    ["a line that is none", { line: 0 }],
  ])("is passed over with %s", async (_, changes) => {
    expect((await stateOf({ ...LOAD, ...changes })).loads).toEqual([]);
  });

  it("is one of so many at most", async () => {
    const many = Array.from({ length: 5100 }, (_, at) => ({ ...LOAD, path: `/${at}` }));
    expect((await stateOf(...many)).loads).toHaveLength(5000);
  });
});

describe("what a line loaded", () => {
  const loadsWith = async (row: Partial<LineRow> | undefined, ...changes: readonly object[]) => {
    const { loads } = await stateOf(...(changes.length === 0 ? [{}] : changes).map((one) => ({ ...LOAD, ...one })));
    const lines = row === undefined ? [] : [{ line: 3, ...row }];
    const files: FileProfile[] = [{ path: "train.py", sha256: "", lines, functions: [] }];
    return lineLoads({ loads, files, byProcess: new Map() });
  };

  it("has the line's own figures, which see what looks do not", async () => {
    const row = { hits: 1, net: 101 * MIB, peak: 205 * MIB };
    expect(await loadsWith(row)).toMatchObject([
      { path: "train.py", line: 3, size: 100 * MIB, peak: 205 * MIB, kept: 101 * MIB, others: 5 * MIB },
    ]);
    expect((await loadsWith(row))[0]).not.toHaveProperty("resident");
  });

  it("has those of its largest execution where there were several", async () => {
    expect((await loadsWith({ hits: 3, net: 300 * MIB, maxIncrement: 110 * MIB }))[0]).toMatchObject({
      kept: 110 * MIB,
    });
  });

  it("has what was seen where the line never ended", async () => {
    const [load] = await loadsWith({ hits: 1, self: 120 * MIB });
    expect(load).toMatchObject({ peak: 190 * MIB });
    expect(load).not.toHaveProperty("kept");
    expect(await loadsWith(undefined)).toMatchObject([{ peak: 190 * MIB }]);
  });

  it("adds up its files, of each process by itself", async () => {
    const shards = [
      { path: "/1", resident: 8 * MIB, copied: 3 * MIB, mapped: 9 },
      { path: "/2", resident: 4 * MIB, mapped: 9 },
    ];
    const [load, ...more] = await loadsWith({}, ...shards, { path: "/1", pid: 9 });
    expect(more).toMatchObject([{ size: 100 * MIB }]);
    expect(load).toMatchObject({ size: 200 * MIB, resident: 12 * MIB, copied: 3 * MIB });
    expect(load?.files).toHaveLength(2);
  });

  it("has the GPU's part from PyTorch, else from NvMap", async () => {
    const nvmap = { before: { ...LOAD.before, nvmap: 5 }, most: { ...LOAD.most, nvmap: 65 } };
    expect((await loadsWith({}, nvmap))[0]).toMatchObject({ gpu: 60, gpuFrom: "nvmap" });
    expect((await loadsWith({}))[0]).not.toHaveProperty("gpu");
    const none = { net: 0, self: 0, maxIncrement: 0, peak: 0, peakMost: 0, reservedSelf: 0, uncertain: 0 };
    const cuda = { ...none, reservedPeak: 9, reservedNet: 7 };
    expect((await loadsWith({ cuda }, nvmap))[0]).toMatchObject({ gpu: 9, gpuFrom: "reserved" });
  });

  it("is said in words, and what is not known is said to be so", async () => {
    const [load] = await loadsWith({ hits: 1, self: 1 }, { mapped: 90 * MIB });
    expect(load && [loadedFiles(load), ...loadFigures(load)]).toEqual([
      "m.pt (100.0 MiB)",
      "the process grew by up to 190.0 MiB; what stayed is not known",
      "how much of the mapped files was in memory is not known",
    ]);
  });
});
