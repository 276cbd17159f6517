import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileProfile } from "../profile/model.ts";
import { openRunFolder } from "../profile/run/runFolder.ts";
import { listRunFolders } from "../profile/run/runsFolder.ts";
import { UserError } from "../profile/userError.ts";
import { writeImportedRun } from "./importedRunFolder.ts";
import type { ImportedRun } from "./model.ts";

let runs: string;
beforeEach(() => {
  runs = fs.mkdtempSync(path.join(os.tmpdir(), "imported-"));
});
afterEach(() => fs.rmSync(runs, { recursive: true }));

const cuda = {
  net: 1,
  self: 2,
  maxIncrement: 3,
  peak: 4,
  peakMost: 5,
  reservedNet: 6,
  reservedSelf: 7,
  reservedPeak: 8,
  deviceNet: -9,
  uncertain: 10,
};
const file = (name: string, net: number): FileProfile => ({
  path: name,
  sha256: "",
  lines: [
    { line: 1, self: 5, cuda: { ...cuda, net }, system: { net: 1, self: 2, uncertain: 3 } },
    {
      line: 2,
      hits: 3,
      net: -net,
      self: 1,
      maxIncrement: 2,
      peak: 4,
      usage: 6,
      uncertain: 7,
      cuda,
      system: { net: 1, self: 2, nvmapNet: 4, uncertain: 3 },
    },
  ],
  functions: [{ name: "main", key: 1, defLine: 1, lastLine: 2, calls: 2, timeNs: 5, net: 4, peak: 3 }],
});
const FILES = [file("src/train.py", 7), file("net.py", 8)];
const IMPORTED: ImportedRun = {
  format: "scalene",
  profile: {
    run: {
      state: "finished",
      engine: { name: "line", exact: true, accelerator: false },
      imported: { format: "scalene", file: "sc.json", measures: "memory", timeline: "footprint" },
      command: { python: "python3", script: "src/train.py", args: ["-x"] },
      started: "2026-11-22T10:00:00.000Z",
      ended: "2026-11-22T10:00:02.000Z",
      elapsedMs: 2000,
      exit: { kind: "exited", code: 0 },
      lastLines: [{ pid: 1, thread: "MainThread", path: "net.py", line: 2, stack: [{ path: "net.py", line: 2 }] }],
      environment: { OMP_NUM_THREADS: "1" },
      board: { model: "Nano", memTotal: 4 },
      versions: { python: "3.11" },
      processes: [
        { pid: 1, kind: "main", label: "main" },
        { pid: 2, kind: "fork", label: "worker 1" },
      ],
      warnings: [{ code: "imported", message: "a note" }],
    },
    origin: { target: "ssh://nano@board", boardFolder: "/home/nano/run", simulated: false },
    files: FILES,
    byProcess: new Map(),
    metrics: new Set(["rss", "cuda", "system"]),
    cuda: new Map([[1, { noticedBy: "counter", peaks: "exact" }]]),
    phases: [
      { pid: 1, phase: "steady", t: 5, at: { path: "net.py", line: 2 }, rss: 1, memAvailable: 2, deviceUsed: 3 },
    ],
    complete: true,
  },
  samples: [
    { t: 0, rss: 1, at: [1, 2] },
    { t: 4, hits: 2, rss: 2, rssPeak: 3, memAvailable: 4 },
  ],
  moments: [{ schema: 1, record: "header", meminfo: ["MemTotal"] }],
  verbatim: new Map([["massif.out.1", Uint8Array.of(1, 2)]]),
  sources: new Map([["src/train.py", "a\nb\n"]]),
  notes: ["a note"],
};

describe("writeImportedRun", () => {
  it("makes a run folder that reads back to the same run", async () => {
    const folder = await writeImportedRun(IMPORTED, runs);
    const reader = openRunFolder(folder);
    await reader.refresh();
    const { run, files, ...rest } = reader.profile();
    const { id, ...info } = run;
    expect(info).toEqual(IMPORTED.profile.run);
    expect(path.basename(folder)).toBe(id);
    expect(id).toMatch(/^20261122-100000-train-[0-9a-f]{6}$/);
    expect(files.map(({ sha256: _digest, ...one }) => one)).toEqual(FILES.map(({ sha256: _digest, ...one }) => one));
    const { run: _run, files: _files, ...given } = IMPORTED.profile;
    expect(rest).toEqual(given);
    expect(reader.samples()).toEqual([
      { t: 0, rss: 1, at: { path: "net.py", line: 2 } },
      { t: 4, hits: 2, rss: 2, rssPeak: 3, memAvailable: 4 },
    ]);
    expect(await reader.source("src/train.py")).toBe("a\nb\n");
    expect(fs.readFileSync(path.join(folder, "massif.out.1"))).toEqual(Buffer.from([1, 2]));
    expect(fs.readFileSync(path.join(folder, "moments.jsonl"), "utf8")).toContain('"MemTotal"');
  });

  it("keeps the tables of several processes apart", async () => {
    const byProcess = new Map([
      [1, [file("net.py", 1)]],
      [2, [file("net.py", 2)]],
    ]);
    const cudas = new Map([
      [1, { noticedBy: "counter", peaks: "exact" }],
      [2, { noticedBy: "asking", peaks: "bounds" }],
    ] as const);
    const profile = { ...IMPORTED.profile, files: [file("net.py", 3)], byProcess, cuda: cudas };
    const reader = openRunFolder(await writeImportedRun({ ...IMPORTED, profile }, runs));
    await reader.refresh();
    expect(reader.profile().byProcess.get(2)?.[0]?.lines[1]?.net).toBe(-2);
    expect(reader.profile().files[0]?.lines[1]?.net).toBe(-3);
  });

  it("gives a run without a usable time or name one all the same", async () => {
    const { started: _started, ...run } = IMPORTED.profile.run;
    const command = { python: "", script: "../../ü b", args: [] };
    const folder = await writeImportedRun(
      { ...IMPORTED, profile: { ...IMPORTED.profile, run: { ...run, command } } },
      runs,
    );
    expect(path.basename(folder)).toMatch(/^\d{8}-\d{6}-[A-Za-z0-9._-]+-[0-9a-f]{6}$/);
    expect(await listRunFolders(runs)).toEqual([folder]);
  });

  it("names a run after its import where it was measured at a time that is still to come, or none", async () => {
    const before = await writeImportedRun(IMPORTED, runs);
    for (const started of ["2100-01-01T00:00:00.000Z", "not a time"]) {
      const profile = { ...IMPORTED.profile, run: { ...IMPORTED.profile.run, started } };
      const folder = await writeImportedRun({ ...IMPORTED, profile }, runs);
      expect(path.basename(folder).startsWith("2100")).toBe(false);
      expect((await listRunFolders(runs))[0]).toBe(folder);
    }
    expect((await listRunFolders(runs)).at(-1)).toBe(before);
  });

  it("gives each of many runs that began in one millisecond a name of its own, and all of its files", async () => {
    // Of 300 some two are given the same one.
    const folders: string[] = [];
    for (let round = 0; round < 15; round++) {
      const made = Array.from({ length: 20 }, () => writeImportedRun(IMPORTED, runs));
      folders.push(...(await Promise.all(made)));
    }
    expect((await listRunFolders(runs)).sort()).toEqual(folders.sort());
    for (const folder of folders) expect(fs.readdirSync(folder)).toContain("run.json");
  });

  it("leaves nothing behind where it cannot be written", async () => {
    const sources = new Map([["a".repeat(300), "x"]]);
    await expect(writeImportedRun({ ...IMPORTED, sources }, runs)).rejects.toThrow(UserError);
    expect(fs.readdirSync(runs)).toEqual([]);
  });
});
