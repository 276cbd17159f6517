import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { schemaFaults } from "../../formats/exports/schemaTesting.ts";
import { gpuRecord } from "../../profile/gpu/testing.ts";
import type { RankView } from "../../profile/ranks/ranks.ts";
import { openRunFolder } from "../../profile/run/runFolder.ts";
import {
  jsonLines,
  LINES,
  MIB,
  makeProject,
  runFiles,
  runJson,
  TORCH_LINES,
  writeFiles,
} from "../../profile/testing.ts";
import { collected } from "../terminal/testing.ts";
import { printReport, type ReportOptions } from "./report.ts";
import { findRun } from "./runLookup.ts";
import { runs } from "./runsCommand.ts";

let project: string;
let run: string;
let remove: () => void;
beforeEach(() => {
  ({ project, run, remove } = makeProject());
});
afterEach(() => remove());

async function printed(options: Omit<ReportOptions, "metric"> & Partial<ReportOptions>): Promise<string> {
  const reader = openRunFolder(run);
  await reader.refresh();
  const output = collected();
  await printReport(reader, { metric: "rss", ...options }, output, {});
  return output.text();
}

const HELD = 64 * MIB;
const SAMPLED = {
  "run.json": JSON.stringify(runJson({ engine: { name: "line", heap: { mean: 524_288, state: "sampled" } } })),
  "massif.out.10": `desc: --jetson-memprof-heap mean=524288 samples=90
cmd: python3 train.py
time_unit: ms
#-----------
snapshot=0
#-----------
time=900
mem_heap_B=${HELD}
mem_heap_extra_B=0
mem_stacks_B=0
heap_tree=peak
n1: ${HELD} (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n1: ${HELD} 0x1000: PyByteArray_Resize (in /usr/bin/python3.6)
  n0: ${HELD} 0x2001: py_00001
`,
  "massif.frames.10.jsonl": jsonLines([
    { schema: 1, record: "header", pid: 10, frames: "lines" },
    { record: "frame", name: "py_00001", path: "model.py", line: 2, function: "build", kind: "line" },
  ]),
};

/** Of each rank what its line 3 took, in MiB, beside the launcher's process. */
function launched(...took: readonly number[]): Record<string, string> {
  const processes = took.map((_, rank) => ({
    pid: 20 + rank,
    kind: "spawn",
    label: `rank ${rank}`,
    rank,
    ranks: 4,
    rss_peak: (200 + rank) * MIB,
  }));
  const rows = took.map((mib, rank) => ({
    record: "rows",
    t: 1,
    pid: 20 + rank,
    rows: [[0, 3, 1, mib * MIB, mib * MIB, mib * MIB, 0, 90 * MIB, 0, 0]],
  }));
  return {
    "run.json": JSON.stringify(runJson({ processes: [{ pid: 10, kind: "main", label: "main" }, ...processes] })),
    "lines.jsonl": jsonLines([
      { schema: 1, record: "header", run: "r" },
      { record: "file", file: 0, path: "train.py", sha256: "" },
      ...rows,
      { record: "end", t: 2 },
    ]),
  };
}

describe("the report of a run that a launcher started several times", () => {
  it("has what each rank came to, and its highest peak as the run's", async () => {
    writeFiles(run, launched(6, 12));
    const text = await printed({ format: "table" });
    expect(text).toContain("3 processes, added up");
    expect(text).toContain("peak 201.0 MiB");
    expect(text).toContain("Ranks on this board, 2 of 4");
    expect(text).toMatch(
      /200\.0 MiB +\+6\.0 MiB +0 +train\.py:3 {2}\+6\.0 MiB\n201\.0 MiB +\+12\.0 MiB +1 +train\.py:3 {2}\+12\.0 MiB/,
    );
    expect(text).toMatch(/ 3 +2 +\+18\.0 MiB/);
  });

  it("has of each line the highest or the middle rank, or one rank alone", async () => {
    writeFiles(run, launched(6, 12, 9));
    const of = async (ranks: RankView) => await printed({ format: "table", ranks });
    const highest = await of({ kind: "highest" });
    expect(highest).toContain("of each line the rank that took the most");
    expect(highest).toMatch(/ 3 +1 +\+12\.0 MiB/);
    expect(await of({ kind: "median" })).toMatch(/ 3 +1 +\+9\.0 MiB/);
    const first = await of({ kind: "rank", rank: 0 });
    expect(first).toContain("rank 0 alone");
    expect(first).toMatch(/ 3 +1 +\+6\.0 MiB/);
  });

  it("says which ranks there are, or that there are none", async () => {
    writeFiles(run, launched(6, 12));
    const wrong = printed({ format: "table", ranks: { kind: "rank", rank: 2 } });
    await expect(wrong).rejects.toMatchObject({ code: "no-such-rank", hint: "It has: 0, 1." });
    writeFiles(run, runFiles());
    await expect(printed({ format: "table", ranks: { kind: "highest" } })).rejects.toMatchObject({ code: "no-ranks" });
  });

  it("is as JSON in the published schema, each process with its rank", async () => {
    writeFiles(run, launched(6, 12));
    const json = JSON.parse(await printed({ format: "json" }));
    expect(schemaFaults(json)).toEqual([]);
    expect(json.run.processes[2]).toMatchObject({ label: "rank 1", rank: 1, ranks: 4, rss_peak: 201 * MIB });
  });
});

describe("the report of a run with sampled native stacks", () => {
  it("has the lines as always, then whose the heap was at its peak, and how certain that is", async () => {
    writeFiles(run, SAMPLED);
    const text = await printed({ format: "table" });
    const [lines = "", stacks = ""] = text.split("Native stacks, sampled: one in 512 KiB");
    expect(lines).toContain("Usage after");
    expect(stacks).toContain("main: 64.0 MiB of heap at its peak");
    expect(stacks).toMatch(/64\.0 MiB ± 11\.5 MiB +64\.0 MiB ± 11\.5 MiB +model\.py:2/);
    expect(stacks).toContain("19 of 20 are closer than ± 4.9 MiB for 10 MiB");
    expect(stacks).not.toMatch(/massif merges|--massif-line/);
    expect(await printed({ format: "table", top: 3 })).not.toContain("sampled");
  });

  it("has what marked lines changed, and how certain that is", async () => {
    const line = { record: "line", path: "model.py", line: 2, hits: 5, measured: 3, net: 6 * MIB, error: MIB };
    writeFiles(run, {
      ...SAMPLED,
      "massif.lines.10.jsonl": jsonLines([{ schema: 1, record: "header", pid: 10 }, line]),
    });
    expect(await printed({ format: "table" })).toMatch(/\+6\.0 MiB ± 2\.0 MiB +5 +3 +model\.py:2/);
    const json = JSON.parse(await printed({ format: "json" }));
    expect(schemaFaults(json)).toEqual([]);
    expect(json.heaps[0].measured_lines).toMatchObject([{ net_bytes: 6 * MIB, net_error_bytes: MIB }]);
  });

  it("has them in JSON with half of ±, as the schema says", async () => {
    writeFiles(run, SAMPLED);
    const json = JSON.parse(await printed({ format: "json" }));
    expect(schemaFaults(json)).toEqual([]);
    const error = Math.round(Math.sqrt(524_288 * HELD + 4 * 524_288 ** 2));
    expect(json.heaps).toMatchObject([{ heap_bytes: HELD, sampled_mean_bytes: 524_288, total_error_bytes: error }]);
    expect(json.heaps[0].lines).toMatchObject([{ line: 2, own_bytes: HELD, own_error_bytes: error }]);
  });
});

describe("the report of a run whose processes called CUDA, by a record made by hand", () => {
  const withGpu = () => writeFiles(run, { ...SAMPLED, "gpu.10.json": JSON.stringify(gpuRecord(10)) });

  it("has who asked for how much on which line, PyTorch and others apart", async () => {
    withGpu();
    const text = await printed({ format: "table" });
    expect(text).toContain("main: 216.0 MiB of GPU memory at its peak, 88.0 MiB of it past PyTorch");
    expect(text).toMatch(/^ *~ 300\.0 MiB +~ 300\.0 MiB +~ 300\.0 MiB +CUDA context +train\.py:4 /m);
    expect(text).toMatch(/^ *128\.0 MiB +128\.0 MiB +160\.0 MiB +PyTorch's allocator +train\.py:4 /m);
    expect(text).toMatch(/^ *72\.0 MiB +8\.0 MiB +– +cuDNN +train\.py:7 /m);
    expect(text).toContain("Note: Calls of a library that was linked statically are not seen.");
    expect(text).toContain("other programs' changes included");
  });

  it("has all of it in JSON, as the schema says", async () => {
    withGpu();
    const json = JSON.parse(await printed({ format: "json" }));
    expect(schemaFaults(json)).toEqual([]);
    expect(json.gpu).toMatchObject([{ pid: 10, peak_bytes: 216 * 2 ** 20, calls: 9 }]);
    expect(json.gpu[0].rows[2]).toMatchObject({ library: "libcudnn_cnn_infer.so.8", path: "train.py", line: 7 });
    expect(json.gpu[0].rows[6]).not.toHaveProperty("most_bytes");
    writeFiles(run, { "gpu.10.json": "{" });
    const damaged = JSON.parse(await printed({ format: "json" }));
    expect(damaged).not.toHaveProperty("gpu");
    expect(damaged.problems).toEqual(["gpu.10.json cannot be read, so what it has of the GPU is not shown."]);
  });

  it("tells several GPUs apart", async () => {
    const { rows, ...record } = gpuRecord(10);
    const both = [0, 1].flatMap((gpu) => rows.slice(0, 3).map((row) => ({ ...row, gpu })));
    const pinned = rows.slice(4).map((row) => ({ ...row, gpu: null }));
    writeFiles(run, { ...SAMPLED, "gpu.10.json": JSON.stringify({ ...record, rows: [...both, ...pinned] }) });
    const text = await printed({ format: "table" });
    for (const gpu of [0, 1]) {
      expect(text).toMatch(new RegExp(`^ *64\\.0 MiB .* cuDNN, GPU ${gpu} +train\\.py:7 `, "m"));
      expect(text).toMatch(new RegExp(`PyTorch's allocator, GPU ${gpu} +train\\.py:4 `));
      expect(text).toContain(`CUDA context, GPU ${gpu} `);
    }
    expect(text).toMatch(/Pinned memory +train/);
    const json = JSON.parse(await printed({ format: "json" }));
    expect(schemaFaults(json)).toEqual([]);
    expect(json.gpu[0].rows.map(({ gpu }: { gpu?: number }) => gpu).slice(2, 7)).toEqual([0, 1, 1, 1, undefined]);
  });

  it("says at least how much went past PyTorch where a library is not known", async () => {
    const { rows, ...record } = gpuRecord(10);
    const nobodys = { ...rows[2], library: null, pytorch: null };
    writeFiles(run, { ...SAMPLED, "gpu.10.json": JSON.stringify({ ...record, rows: [...rows, nobodys] }) });
    const text = await printed({ format: "table" });
    expect(text).toContain("≥ 88.0 MiB of it past PyTorch");
    expect(text).toMatch(/^ *64\.0 MiB +0 B +72\.0 MiB +library unknown +train\.py:7 /m);
    const json = JSON.parse(await printed({ format: "json" }));
    expect(schemaFaults(json)).toEqual([]);
    expect(json.gpu[0].rows.at(-1)).not.toHaveProperty("pytorch");
  });

  it("says nothing of it where nobody called CUDA, or a process only looked for it", async () => {
    const looked = { ...gpuRecord(10), seen: [], calls: 0, peak: { ms: 0, bytes: 0 }, live: { bytes: 0 }, rows: [] };
    writeFiles(run, { ...SAMPLED, "gpu.10.json": JSON.stringify({ ...looked, notes: [] }) });
    expect(await printed({ format: "table" })).not.toContain("GPU");
    fs.rmSync(path.join(run, "gpu.10.json"));
    expect(await printed({ format: "table" })).not.toContain("GPU");
    expect(JSON.parse(await printed({ format: "json" }))).not.toHaveProperty("gpu");
  });
});

describe("the report of a run with CUDA and board figures", () => {
  const withTorch = () => writeFiles(run, { "lines.jsonl": jsonLines(TORCH_LINES) });

  it("has RSS, says what else there is, and what each phase took outside the allocator", async () => {
    withTorch();
    const text = await printed({ format: "table" });
    expect(text).toContain("Net    Largest  Peak above entry  Usage after");
    expect(text).toContain("The run has more figures for each line: --metric cuda, system, all.");
    expect(text).toContain("What PyTorch and CUDA took outside the allocator, by phase");
    expect(text).toMatch(
      /90 ms {2}\+64\.0 MiB {4}\+300\.0 MiB .* ~ \+280\.0 MiB {2}importing PyTorch .* train\.py:4\n/,
    );
  });

  it("has the columns that are asked for", async () => {
    withTorch();
    const cuda = await printed({ format: "table", metric: "cuda" });
    expect(cuda).toContain("model.py  CUDA +80.0 MiB");
    expect(cuda).toMatch(/CUDA net .* Peak at least {2}Peak at most {2}Reserved net {2}Device net/);
    expect(cuda).toContain("--metric rss, system, all.");
    expect(await printed({ format: "table", metric: "system" })).toMatch(/Board net .* Alone .* NvMap net/);
    const all = await printed({ format: "table", metric: "all" });
    expect(all).toMatch(/RSS net .* RSS peak .* CUDA net .* CUDA peak .* Reserved net .* Board net/);
    expect(all).not.toContain("more figures");
  });

  it("is of RSS where the run has nothing else, and says so", async () => {
    const text = await printed({ format: "table", metric: "cuda" });
    expect(text).toContain("Usage after");
    expect(text).toContain("Note: The run has no CUDA figures");
    expect(text).not.toContain("by phase");
  });
});

describe("the heaviest lines", () => {
  it("stand alone, each in a row of the terminal's width", async () => {
    const text = await printed({ format: "table", top: 2 });
    const rows = text.trimEnd().split("\n").slice(-2);
    expect(rows[0]).toMatch(/^ {5}\+64\.0 MiB {2}model\.py:2 {2}weights = /);
    expect(rows[1]).toMatch(/^peak \+64\.0 MiB {2}model\.py:3 {2}\S/);
    expect(text).not.toContain("Usage after");
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(80);
    expect(await printed({ format: "table", top: 1, file: "train.py" })).toMatch(/\n\+20\.0 MiB {2}train\.py:7 /);
  });

  it("are of the measure that is asked for", async () => {
    writeFiles(run, { "lines.jsonl": jsonLines(TORCH_LINES) });
    expect(await printed({ format: "table", metric: "cuda", top: 1 })).toMatch(/\nCUDA \+100\.0 MiB {2}model\.py:2 /);
  });

  it("are not listed of a run under massif, which says so", async () => {
    const engine = { name: "massif" };
    writeFiles(run, { "run.json": JSON.stringify(runJson({ engine })) });
    await expect(printed({ format: "table", top: 3 })).rejects.toMatchObject({ code: "no-lines" });
  });
});

describe("the report of a run under massif", () => {
  const massif = {
    valgrind: "3.19.0",
    threshold: 1,
    depth: 30,
    pages_as_heap: false,
    gpu: false,
    max_hits: 1,
    lines: [],
  };
  const OUT = `desc: --threshold=1.0
cmd: python3 train.py
time_unit: ms
#-----------
snapshot=0
#-----------
time=12
mem_heap_B=5242880
mem_heap_extra_B=8
mem_stacks_B=0
heap_tree=peak
n1: 5242880 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n1: 5242880 0x48C3B7F: PyByteArray_Resize (bytearrayobject.c:250)
  n1: 5242880 0x48C3B80: _PyEval_EvalFrameDefault (ceval.c:1)
   n0: 5242880 0x48C3B81: py_00001 (in /dev/shm/pads.so)
`;
  const sidecar = (...records: object[]): string =>
    jsonLines([{ schema: 1, record: "header", pid: 10, frames: "lines" }, ...records]);
  const place = { path: "train.py", line: 7, function: "main" };

  const withMassif = () =>
    writeFiles(run, {
      "run.json": JSON.stringify(runJson({ engine: { name: "massif", massif } })),
      "massif.out.10": OUT,
      "massif.frames.10.jsonl": sidecar({ record: "frame", name: "py_00001", kind: "line", ...place }),
      "massif.lines.10.jsonl": sidecar({ record: "line", ...place, hits: 9, measured: 4, net: 5242880 }),
      "massif.out.11": "nothing that massif wrote",
    });

  it("has all of that in JSON, as the published schema says", async () => {
    withMassif();
    const json = JSON.parse(await printed({ format: "json" }));
    expect(schemaFaults(json)).toEqual([]);
    expect(json.heaps).toEqual([
      {
        pid: 10,
        label: "main",
        moment: "peak",
        heap_bytes: 5242880,
        python_frames: "lines",
        without_line_bytes: 0,
        total_bytes: 5242880,
        libraries: [expect.objectContaining({ bytes: 5242880 })],
        allocators: [
          expect.objectContaining({ function: "PyByteArray_Resize", self_bytes: 5242880, total_bytes: 5242880 }),
        ],
        lines: [{ ...place, total_bytes: 5242880, own_bytes: 5242880 }],
        measured_lines: [{ path: "train.py", line: 7, hits: 9, measured_hits: 4, net_bytes: 5242880 }],
      },
    ]);
    expect(json.problems).toEqual([expect.stringMatching(/^worker 1: The file is not one that .*massif wrote/)]);
  });

  it("has the lines that held the heap at its peak, not a table of lines without figures", async () => {
    withMassif();
    const text = await printed({ format: "table" });
    expect(text).toContain(" · heap measured by massif (valgrind 3.19.0) · ");
    expect(text).toContain(" · 2 processes · ");
    expect(text).toContain(" · peak 148.0 MiB with valgrind\n");
    expect(text).toContain("\nmain: 5.0 MiB of heap at its peak\n");
    expect(text).toMatch(/^5\.0 MiB {2}5\.0 MiB {2}train\.py:7 {2}history\.append\(bytearray\(4 << 20\)\)$/m);
    expect(text).toMatch(/^\+5\.0 MiB {5}9 {9}4 {2}train\.py:7 {2}history\.append/m);
    expect(text).toMatch(/^worker 1: .*massif/m);
    expect(text).not.toContain("Peak above entry");
  });
});

describe("the report", () => {
  it("has the circumstances, the notes and every measured file, heaviest first", async () => {
    const text = await printed({ format: "table" });
    expect(text).toMatch(
      /^train\.py --name "a b"\nssh:\/\/nano@192\.168\.1\.20 · NVIDIA Jetson Nano Developer Kit · Python 3\.6\.9 · 2 processes, added up · 2\.0 s · peak 148\.0 MiB\nNote: The fast/,
    );
    expect(text.indexOf("model.py  +64.0 MiB")).toBeGreaterThan(0);
    expect(text.indexOf("train.py  +20.0 MiB")).toBeGreaterThan(text.indexOf("model.py  +64.0 MiB"));
    expect(text).toContain("Peak above entry: the most one hit held");
  });

  it("prints one file, or says which there are", async () => {
    expect(await printed({ format: "table", file: "model.py" })).not.toContain("train.py  +");
    await expect(printed({ format: "table", file: "x.py" })).rejects.toMatchObject({
      code: "no-such-file",
      hint: expect.stringContaining("model.py"),
    });
  });

  it("prints JSON and memory_profiler's columns", async () => {
    expect(JSON.parse(await printed({ format: "json", file: "model.py" }))).toMatchObject({
      schema: 1,
      files: [{ path: "model.py" }],
    });
    expect(await printed({ format: "memory_profiler" })).toContain(
      "     2   84.000 MiB   64.000 MiB           1       weights = bytearray(64 << 20)",
    );
  });

  it.each([
    [{ kind: "exited", code: 3 }, "The script ended with exit status 3."],
    [{ kind: "signalled", signal: "SIGSEGV" }, "The script was ended by the signal SIGSEGV."],
    [
      { kind: "out-of-memory", signal: "SIGKILL", evidence: "oom_kill rose" },
      "The kernel ended the script, as memory ran out (oom_kill rose)",
    ],
    [{ kind: "cancelled" }, "The run was cancelled"],
    [{ kind: "not-started", message: "no such file" }, "could not be started: no such file"],
    [{ kind: "lost" }, "What happened at the end is unknown"],
  ])("tells of the end %o and what was being executed", async (exit, text) => {
    const last_lines = [{ pid: 10, thread: "MainThread", path: "train.py", line: 7 }];
    writeFiles(run, { "run.json": JSON.stringify(runJson({ exit, last_lines })) });
    const report = await printed({ format: "table" });
    expect(report).toContain(text);
    expect(report).toContain("  MainThread was at train.py:7  history.append(bytearray(4 << 20))");
  });

  it("says whose thread it was, where several processes were executing something", async () => {
    const last_lines = [10, 21].map((pid) => ({ pid, thread: "MainThread", path: "train.py", line: 7 }));
    const processes = [
      { pid: 10, kind: "main", label: "main" },
      { pid: 21, kind: "spawn", label: "rank 1", rank: 1, ranks: 2 },
    ];
    writeFiles(run, {
      "run.json": JSON.stringify(runJson({ exit: { kind: "exited", code: 1 }, last_lines, processes })),
    });
    const report = await printed({ format: "table" });
    expect(report).toContain("  main, MainThread was at train.py:7");
    expect(report).toContain("  rank 1, MainThread was at train.py:7");
  });

  it("says what the logs do not hold", async () => {
    const output = { stdout: { bytes: 100_000_000, kept: 67_108_864 }, stderr: { bytes: 5, kept: 5 } };
    writeFiles(run, { "run.json": JSON.stringify(runJson({ output })) });
    const report = await printed({ format: "table" });
    expect(report).toContain("The script wrote 95.4 MiB of output; the first 64.0 MiB are kept.");
    expect(report).not.toContain("error output");
  });

  it("disarms what a board says", async () => {
    const warnings = [{ code: "x", message: "evil \u001b[2J" }];
    writeFiles(run, { "run.json": JSON.stringify(runJson({ warnings, board: { model: "\u001b]0;x\u0007" } })) });
    expect(await printed({ format: "table" })).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

it("disarms the names of files in every form", async () => {
  const files = [{ record: "file", file: 0, path: "\u001b[2J.py", sha256: "aa", lines: 1, functions: [] }];
  const rows = [{ record: "rows", t: 1, pid: 10, rows: [[0, 1, 1, 4096, 4096, 4096, 0, 8192, 4096]] }];
  writeFiles(run, { "lines.jsonl": jsonLines([{ schema: 1, record: "header", run: "x" }, ...files, ...rows]) });
  for (const format of ["table", "memory_profiler"] as const) {
    const text = await printed({ format });
    expect(text).toContain("?[2J.py");
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  }
});

it("explains the column Uncertain where there is one", async () => {
  expect(await printed({ format: "table" })).toContain("Uncertain: how much of Net");
  writeFiles(run, { "lines.jsonl": jsonLines(LINES.slice(0, 4)) });
  expect(await printed({ format: "table" })).not.toContain("Uncertain");
});

describe("finding a run", () => {
  it("takes a folder, a name, its beginning, or last", async () => {
    const later = path.join(path.dirname(run), "20261122-000000-later-0000");
    writeFiles(later, runFiles());
    expect(await findRun(run, "/")).toBe(run);
    expect(await findRun(path.basename(run), project)).toBe(run);
    expect(await findRun("20261121", project)).toBe(run);
    expect(await findRun("last", project)).toBe(later);
    await expect(findRun("2026", project)).rejects.toMatchObject({ message: expect.stringContaining("2 runs") });
    await expect(findRun("2019", project)).rejects.toMatchObject({ code: "no-such-run" });
    await expect(findRun("last", run)).rejects.toMatchObject({ message: expect.stringContaining("There are no runs") });
  });

  it("lists them, unreadable ones too", async () => {
    fs.mkdirSync(path.join(path.dirname(run), "20261123-000000-empty-0000"));
    const output = collected();
    await runs({ kind: "runs", does: "list", order: "newest", json: false, project }, output);
    expect(output.text().split("\n")[0]).toMatch(/^20261123-000000-empty-0000 {2}cannot be read/);
    expect(output.text().split("\n")[1]).toBe(
      '20261121-094501-train-3fa9  train.py --name "a b" · ssh://nano@192.168.1.20 · 2.0 s · peak 148.0 MiB',
    );
  });
});
