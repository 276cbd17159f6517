import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { exportJson } from "../formats/exportJson.ts";
import type { Profile } from "../model.ts";
import { jsonLines, LINES, MIB, makeProject, runFiles, runJson, SAMPLES, TRAIN, writeFiles } from "../testing.ts";
import { UserError } from "../userError.ts";
import { openRunFolder, readRunFolder } from "./runFolder.ts";
import { readRunHead } from "./runHead.ts";

let run: string;
let remove: () => void;
beforeEach(() => {
  ({ run, remove } = makeProject());
});
afterEach(() => remove());

function line(profile: Profile, file: string, number: number) {
  return profile.files.find((entry) => entry.path === file)?.lines.find((row) => row.line === number);
}

async function failure(attempt: Promise<unknown>): Promise<UserError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UserError)) throw new Error(`expected a UserError, got ${String(error)}`);
  return error;
}

describe("a whole run folder", () => {
  it("is read into a profile", async () => {
    const profile = await readRunFolder(run);
    expect(profile.complete).toBe(true);
    expect(profile.run).toMatchObject({ id: "20261121-094501-train-3fa9", elapsedMs: 2000, state: "finished" });
    expect(profile.run.board).toEqual({
      model: "NVIDIA Jetson Nano Developer Kit",
      machine: "aarch64",
      memTotal: 4151091200,
    });
    expect(profile.run.versions).toEqual({ helper: "0.1.0", python: "3.6.9" });
    expect(profile.origin).toEqual({
      target: "ssh://nano@192.168.1.20",
      boardFolder: "/home/nano/.jetson-memprof/runs/20261121-094501-train-3fa9",
      simulated: false,
    });
  });

  it("knows of a line that never ended only what it took itself", async () => {
    const rows = [
      [0, 7, 0, 0, 9 * MIB, 0, 0, 0, 4096],
      [0, 8, 1, 0, 0, 0, null, 0, 0],
    ];
    const lines = [...LINES.slice(0, -1), { record: "rows", t: 900, pid: 12, rows }];
    writeFiles(run, { "lines.jsonl": jsonLines(lines) });
    const profile = await readRunFolder(run);
    expect(profile.byProcess.get(12)?.[0]?.lines).toEqual([
      { line: 7, hits: 0, self: 9 * MIB, uncertain: 4096 },
      { line: 8, hits: 1, self: 0, uncertain: 0 },
    ]);
    expect(line(profile, "train.py", 7)).toMatchObject({ hits: 5, net: 29 * MIB, self: 29 * MIB, usage: 96 * MIB });
    expect(line(profile, "train.py", 8)).toEqual({ line: 8, hits: 1, self: 0, uncertain: 0 });
  });

  it("replaces cumulative rows and merges processes: sums of what was taken, maxima of what was highest", async () => {
    const profile = await readRunFolder(run);
    expect(line(profile, "train.py", 4)).toMatchObject({ hits: 1, net: 64 * MIB, peak: 128 * MIB });
    expect(line(profile, "train.py", 7)).toEqual({
      line: 7,
      hits: 5,
      net: 20 * MIB,
      self: 20 * MIB,
      maxIncrement: 4 * MIB,
      peak: 4 * MIB,
      usage: 96 * MIB,
      uncertain: 4096,
    });
  });

  it("has the peak's own uncertainty; of two processes' peaks the lower one may have been the higher", async () => {
    const rows = (pid: number, peak: number, unsure: number) => ({
      record: "rows",
      t: 900,
      pid,
      rows: [[0, 8, 1, 0, 0, 0, peak * MIB, 96 * MIB, 0, unsure * MIB]],
    });
    writeFiles(run, { "lines.jsonl": jsonLines([...LINES.slice(0, -1), rows(12, 4, 1), rows(13, 3, 3)]) });
    const profile = await readRunFolder(run);
    expect(profile.byProcess.get(12)?.[0]?.lines).toEqual([expect.objectContaining({ peakUncertain: MIB })]);
    expect(line(profile, "train.py", 8)).toMatchObject({ peak: 4 * MIB, peakUncertain: 2 * MIB });
  });

  it("keeps each process's own table, where an unknown figure is absent", async () => {
    const worker = (await readRunFolder(run)).byProcess.get(11);
    expect(worker?.map((file) => file.path)).toEqual(["train.py"]);
    expect(worker?.[0]?.lines).toEqual([
      { line: 7, hits: 2, net: 8 * MIB, self: 8 * MIB, maxIncrement: 4 * MIB, usage: 92 * MIB, uncertain: 4096 },
    ]);
  });

  it("names the place of each sample", async () => {
    const reader = openRunFolder(run);
    await reader.refresh();
    expect(reader.samples()).toEqual([
      { t: 0, hits: 0, rss: 20 * MIB, rssPeak: 20 * MIB, memAvailable: 2000 * MIB, at: { path: "train.py", line: 4 } },
      {
        t: 200,
        hits: 3,
        rss: 148 * MIB,
        rssPeak: 148 * MIB,
        memAvailable: 1800 * MIB,
        at: { path: "model.py", line: 3 },
      },
      {
        t: 400,
        hits: 9,
        rss: 96 * MIB,
        rssPeak: 148 * MIB,
        memAvailable: 1900 * MIB,
        at: { path: "train.py", line: 7 },
      },
    ]);
  });

  it("gives the sources, and nothing that lies outside the folder", async () => {
    writeFiles(path.dirname(run), { secret: "do not read" });
    fs.symlinkSync("../../secret", path.join(run, "sources", "link.py"));
    const reader = openRunFolder(run);
    await reader.refresh();
    expect(await reader.source("train.py")).toBe(TRAIN);
    expect(await reader.source("missing.py")).toBeUndefined();
    expect(await reader.source("link.py")).toBeUndefined();
  });

  it("refuses a pipe or a folder in the place of its figures, and does not wait for it", async () => {
    const file = path.join(run, "lines.jsonl");
    fs.rmSync(file);
    childProcess.execFileSync("mkfifo", [file]);
    expect(await failure(readRunFolder(run))).toMatchObject({ code: "run-unreadable" });
    fs.rmSync(file);
    fs.mkdirSync(file);
    expect((await failure(readRunFolder(run))).message).toContain("lines.jsonl cannot be read: it is not a plain file");
  });

  it.each(["run.json", "origin.json", "memory_profiler.txt"])(
    "refuses a pipe, and a device without end, in the place of %s",
    async (name) => {
      const file = path.join(run, name);
      fs.rmSync(file, { force: true });
      childProcess.execFileSync("mkfifo", [file]);
      expect(await failure(readRunFolder(run))).toMatchObject({ code: "run-unreadable" });
      fs.rmSync(file);
      fs.symlinkSync("/dev/zero", file);
      expect(await failure(readRunFolder(run))).toMatchObject({ code: "run-unreadable" });
    },
  );

  it("names no file outside the project that memory_profiler's report names", async () => {
    const named = (name: string) => `Filename: ${name}\n\n     1     22.0 MiB     22.0 MiB           1   x = 1\n`;
    const names = ["/home/nano/project/../../secret.py", "../secret.py", "..\\secret.py", "/home/nano/project/a.py"];
    fs.rmSync(path.join(run, "lines.jsonl"));
    fs.writeFileSync(path.join(run, "memory_profiler.txt"), names.map(named).join("\n"));
    expect((await readRunFolder(run)).files.map((file) => file.path)).toEqual(["a.py"]);
  });

  it("does not wait for a pipe in the place of a source", async () => {
    childProcess.execFileSync("mkfifo", [path.join(run, "sources", "pipe.py")]);
    const reader = openRunFolder(run);
    await reader.refresh();
    expect(await reader.source("pipe.py")).toBeUndefined();
  });

  it("has a head with the peak from the last sample", async () => {
    const head = await readRunHead(run);
    expect(head.rssPeak).toBe(148 * MIB);
    expect(head.run.command.script).toBe("train.py");
  });
});

describe("a live run", () => {
  it("is read on from where the last reading stopped, torn records included", async () => {
    const text = jsonLines(LINES);
    const torn = text.indexOf('"pid":11') + 3;
    writeFiles(run, { "lines.jsonl": text.slice(0, torn), "run.json": JSON.stringify(runJson({ state: "running" })) });
    const reader = openRunFolder(run);
    expect(await reader.refresh()).toBe(true);
    expect(await reader.refresh()).toBe(false);
    expect(reader.profile().complete).toBe(false);
    expect(line(reader.profile(), "train.py", 7)).toBeUndefined();

    fs.appendFileSync(path.join(run, "lines.jsonl"), text.slice(torn));
    expect(await reader.refresh()).toBe(true);
    expect(reader.profile().files).toEqual((await readRunFolder(run)).files);
    expect(reader.profile().complete).toBe(true);
    expect(reader.profile().run.state).toBe("running");

    writeFiles(run, { "run.json": JSON.stringify(runJson()) });
    expect(await reader.refresh()).toBe(true);
    expect(reader.profile().run.state).toBe("finished");
  });

  it("starts again where the file was replaced by a shorter one", async () => {
    const reader = openRunFolder(run);
    await reader.refresh();
    writeFiles(run, { "lines.jsonl": jsonLines(LINES.slice(0, 4)) });
    expect(await reader.refresh()).toBe(true);
    expect(reader.profile().files).toHaveLength(1);
    expect(reader.profile().complete).toBe(false);
  });

  it("says what was being executed where a run was lost", async () => {
    writeFiles(run, { "run.json": JSON.stringify(runJson({ exit: { kind: "lost" } })) });
    expect((await readRunFolder(run)).run.lastLines).toEqual([
      { pid: 10, thread: "MainThread", path: "train.py", line: 7 },
    ]);
  });
});

describe("a run of memory_profiler", () => {
  const engine = { name: "memory_profiler", exact: false, accelerator: false };
  const report = `Filename: /home/nano/project/train.py

Line #    Mem usage    Increment  Occurrences   Line Contents
=============================================================
     3   20.000 MiB   20.000 MiB           1   def main():
     4   84.000 MiB   64.000 MiB           1       net = model.build()
`;
  const expected = [
    { line: 3, hits: 1, usage: 20 * MIB },
    { line: 4, hits: 1, usage: 84 * MIB, net: 64 * MIB },
  ];

  it("shows the rows of its table; a function's first line is given no usage at entry as its net", async () => {
    const rows = [
      [0, 3, 1, 20 * MIB, null, null, null, 20 * MIB, null],
      [0, 4, 1, 64 * MIB, null, null, null, 84 * MIB, null],
    ];
    const records = [LINES[0] ?? {}, LINES[2] ?? {}, { record: "rows", t: 9, pid: 10, rows }];
    writeFiles(run, { "run.json": JSON.stringify(runJson({ engine })), "lines.jsonl": jsonLines(records) });
    expect((await readRunFolder(run)).files.map((file) => file.lines)).toEqual([expected]);
  });

  it("is read from the package's own report where the table did not come home", async () => {
    writeFiles(run, { "run.json": JSON.stringify(runJson({ engine })), "memory_profiler.txt": report });
    fs.rmSync(path.join(run, "lines.jsonl"));
    expect((await readRunFolder(run)).files).toEqual([
      { path: "train.py", sha256: "aa", lines: expected, functions: [] },
    ]);
  });
});

describe("a run under massif", () => {
  it("says how it was measured; its lines have hits and nothing else", async () => {
    const massif = { valgrind: "3.19.0", threshold: 0.1, depth: 100, pages_as_heap: false, gpu: false, max_hits: 3 };
    const engine = { name: "massif", exact: false, peak: false, accelerator: false };
    const record = runJson({
      engine: { ...engine, massif: { ...massif, lines: [["train.py", 7]] } },
      processes: [{ pid: 10, ppid: 9, kind: "main", label: "main", implementation: "massif-lines" }],
    });
    const rows = [[0, 7, 3, null, null, null, null, null, null]];
    const lines = [...LINES.slice(0, 1), ...LINES.slice(2, 3), { record: "rows", t: 1, pid: 10, rows }];
    writeFiles(run, runFiles({ "run.json": JSON.stringify(record), "lines.jsonl": jsonLines(lines) }));
    const profile = await readRunFolder(run);
    expect(profile.run.engine.massif).toEqual({
      valgrind: "3.19.0",
      threshold: 0.1,
      depth: 100,
      pagesAsHeap: false,
      gpu: false,
      maxHits: 3,
      lines: [{ path: "train.py", line: 7 }],
    });
    expect(profile.run.processes[0]?.implementation).toBe("massif-lines");
    expect(profile.files[0]?.lines).toEqual([{ line: 7, hits: 3 }]);
    expect(exportJson(profile)).toMatchObject({ run: { engine: { massif: { pages_as_heap: false, max_hits: 3 } } } });
  });
});

describe("bad input", () => {
  it.each(["run.json", "lines.jsonl", "samples.jsonl", "origin.json"])("refuses a newer schema in %s", async (name) => {
    const content = runFiles()[name]?.replace('"schema":1', '"schema":7') ?? "";
    writeFiles(run, { [name]: content });
    const error = await failure(readRunFolder(run));
    expect(error.code).toBe("schema-too-new");
    expect(error.message).toContain(path.join(run, name));
    expect(error.message).toContain("format 7");
    expect(error.hint).toMatch(/Update/);
  });

  it("names the field that is wrong", async () => {
    writeFiles(run, { "run.json": JSON.stringify(runJson({ state: "sleeping" })), "lines.jsonl": "" });
    const error = await failure(readRunFolder(run));
    expect(error.code).toBe("run-damaged");
    expect(error.message).toContain('"state"');
  });

  it("says so where there is no run", async () => {
    fs.rmSync(run, { recursive: true });
    expect((await failure(readRunFolder(run))).code).toBe("not-a-run");
    fs.writeFileSync(run, "a file");
    expect((await failure(readRunFolder(run))).code).toBe("not-a-run");
  });

  it("keeps the figures where run.json is missing", async () => {
    fs.rmSync(path.join(run, "run.json"));
    const profile = await readRunFolder(run);
    expect(profile.files).toHaveLength(2);
    expect(profile.run.exit).toEqual({ kind: "lost" });
    expect(profile.run.warnings[0]?.message).toContain("run.json is missing");
  });

  it("passes over records with impossible values", async () => {
    const bad = [
      { record: "rows", pid: 10, rows: [[0, -1, 1, 0, 0, 0, 0, 0, 0], ["x"], 5, [0, 4, -1, 0, 0, 0, 0, 0, 0]] },
      { record: "rows", pid: "ten", rows: [] },
      { record: "rows", pid: 10, rows: "none" },
      { record: "file", file: 2, path: "../../etc/passwd", functions: [] },
      { record: "rows", pid: 10, rows: [[2, 1, 1, 0, 0, 0, 0, 0, 0]] },
      { record: "at", pid: 10, threads: [{ thread: 5 }] },
      { record: "process", pid: 12, kind: "alien", label: "x" },
    ];
    writeFiles(run, {
      "lines.jsonl": `${jsonLines(LINES)}{"record":"rows"\n[1]\nnull\n\xff\n{"record":"rows","pid":10,"rows":[[0,4,1e999,0,0,0,0,0,0]]}\n${jsonLines(bad)}`,
    });
    const whole = makeProject();
    try {
      expect((await readRunFolder(run)).files).toEqual((await readRunFolder(whole.run)).files);
    } finally {
      whole.remove();
    }
  });
});

describe("a run folder cut off at any byte", () => {
  const count = (profile: Profile) =>
    profile.files.reduce((all, file) => all + file.lines.reduce((sum, row) => sum + 1 + (row.hits ?? 0), 0), 0);

  it.each(["run.json", "lines.jsonl", "samples.jsonl", "origin.json"])(
    "%s gives a profile or a clear error",
    async (name) => {
      const content = Buffer.from(runFiles()[name] ?? "");
      const file = path.join(run, name);
      let before = -1;
      let samplesBefore = -1;
      for (let size = 0; size <= content.length; size++) {
        fs.writeFileSync(file, content.subarray(0, size));
        const reader = openRunFolder(run);
        try {
          await reader.refresh();
        } catch (error) {
          expect(error, `cut at ${size}`).toBeInstanceOf(UserError);
          continue;
        }
        const read = count(reader.profile());
        expect(read, `cut at ${size}`).toBeGreaterThanOrEqual(before);
        expect(reader.samples().length).toBeGreaterThanOrEqual(samplesBefore);
        before = read;
        samplesBefore = reader.samples().length;
      }
      expect(before).toBe(count(await readRunFolder(run)));
      expect(before).toBeGreaterThan(0);
      expect(samplesBefore).toBe(SAMPLES.length - 1);
    },
  );

  it("grows byte by byte under one reader to the same profile", async () => {
    const whole = await readRunFolder(run);
    const content = Buffer.from(jsonLines(LINES));
    const file = path.join(run, "lines.jsonl");
    fs.writeFileSync(file, "");
    const reader = openRunFolder(run);
    for (let from = 0; from < content.length; from += 7) {
      fs.appendFileSync(file, content.subarray(from, from + 7));
      await reader.refresh();
    }
    expect(reader.profile()).toEqual(whole);
  });
});
