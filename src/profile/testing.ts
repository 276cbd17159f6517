/** A run folder for tests: two files, two processes, every kind of record. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { RunInfo } from "./model.ts";

export const MIB = 1024 * 1024;

/** A run of which next to nothing is told. */
export const PLAIN_RUN: RunInfo = {
  id: "r",
  state: "finished",
  engine: { name: "line", exact: false, accelerator: false },
  command: { python: "", args: [] },
  lastLines: [],
  environment: {},
  board: {},
  versions: {},
  processes: [],
  warnings: [],
};

export const TRAIN = `import model

def main():
    net = model.build()
    history = []
    for step in range(3):
        history.append(bytearray(4 << 20))
    return net

main()
`;

export const MODEL = `def build():
    weights = bytearray(64 << 20)
    copy = bytes(weights)
    return weights
`;

export function runJson(changes: object = {}): object {
  return {
    schema: 1,
    id: "20261121-094501-train-3fa9",
    state: "finished",
    engine: { name: "line", exact: false, peak: true, accelerator: true },
    command: { python: "/usr/bin/python3", script: "train.py", args: ["--name", "a b"] },
    project_root: "/home/nano/project",
    cwd: "/home/nano/project",
    started: "2026-11-21T09:45:01.123Z",
    ended: "2026-11-21T09:45:03.123Z",
    elapsed_ms: 2000,
    exit: { kind: "exited", code: 0 },
    last_lines: [],
    board: { model: "NVIDIA Jetson Nano Developer Kit", l4t: null, machine: "aarch64", mem_total: 4151091200 },
    versions: { helper: "0.1.0", python: "3.6.9", torch: null },
    processes: [
      { pid: 10, ppid: 9, kind: "main", label: "main", implementation: "accelerator" },
      { pid: 11, ppid: 10, kind: "fork", label: "worker 1", implementation: "pure" },
    ],
    output: { stdout: { bytes: 5, kept: 5 }, stderr: { bytes: 0, kept: 0 } },
    files: [
      { path: "train.py", sha256: "aa", source: "sources/train.py" },
      { path: "model.py", sha256: "bb", source: "sources/model.py" },
    ],
    warnings: [{ code: "accelerator-refused", message: "The fast measuring library does not fit this board." }],
    ...changes,
  };
}

export const LINES: readonly object[] = [
  { schema: 1, record: "header", run: "20261121-094501-train-3fa9" },
  { record: "process", pid: 10, ppid: 9, kind: "main", label: "main", implementation: "accelerator" },
  {
    record: "file",
    file: 0,
    path: "train.py",
    sha256: "aa",
    lines: 10,
    functions: [{ name: "main", key: 3, def_line: 3, last_line: 8 }],
  },
  { record: "rows", t: 100, pid: 10, rows: [[0, 4, 1, 0, 0, 0, 0, 20 * MIB, 0]] },
  {
    record: "file",
    file: 1,
    path: "model.py",
    sha256: "bb",
    lines: 4,
    functions: [{ name: "build", key: 1, def_line: 1, last_line: 4 }],
  },
  {
    record: "rows",
    t: 200,
    pid: 10,
    rows: [
      [1, 2, 1, 64 * MIB, 64 * MIB, 64 * MIB, 64 * MIB, 84 * MIB, 0],
      [1, 3, 1, 0, 0, 0, 64 * MIB, 84 * MIB, 8192],
      [0, 4, 1, 64 * MIB, 0, 64 * MIB, 128 * MIB, 84 * MIB, 0],
    ],
  },
  { record: "something-new", t: 250, pid: 10 },
  { record: "at", t: 300, pid: 10, threads: [{ thread: "MainThread", file: 0, line: 7, rss: 84 * MIB, for_ms: 20 }] },
  { record: "process", pid: 11, ppid: 10, kind: "fork", label: "worker 1", implementation: "pure" },
  { record: "rows", t: 400, pid: 11, rows: [[0, 7, 2, 8 * MIB, 8 * MIB, 4 * MIB, null, 92 * MIB, 4096]] },
  {
    record: "rows",
    t: 500,
    pid: 10,
    rows: [
      [0, 7, 3, 12 * MIB, 12 * MIB, 4 * MIB, 4 * MIB, 96 * MIB, 0],
      [0, 10, 1, 76 * MIB, 0, 76 * MIB, 140 * MIB, 96 * MIB, 0],
    ],
  },
  { record: "functions", t: 500, pid: 10, rows: [[0, 3, 1, 1_500_000_000, 76 * MIB, 140 * MIB]] },
  { record: "functions", t: 500, pid: 10, rows: [[1, 1, 1, 90_000_000, 64 * MIB, 128 * MIB]] },
  { record: "end", t: 2000 },
];

/** The same run where the main process used CUDA and the board's memory was read; its worker did not use CUDA. */
export const TORCH_LINES: readonly object[] = [
  ...LINES.slice(0, -1),
  { record: "cuda-on", t: 520, pid: 10, noticed_by: "counter", peaks: "bounds" },
  {
    record: "cuda",
    t: 520,
    pid: 10,
    rows: [
      [1, 2, 100 * MIB, 100 * MIB, 100 * MIB, 100 * MIB, 100 * MIB, 120 * MIB, 120 * MIB, 120 * MIB, 122 * MIB, 0],
      [1, 3, -20 * MIB, -20 * MIB, 0, 30 * MIB, 44 * MIB, 0, 0, 0, null, 4096],
    ],
  },
  { record: "system", t: 520, pid: 10, rows: [[1, 2, 190 * MIB, 190 * MIB, null, 8192]] },
  {
    record: "phase",
    t: 90,
    pid: 10,
    phase: "import-torch",
    file: 0,
    line: 4,
    rss: 20 * MIB,
    mem_available: 2000 * MIB,
    nvmap: null,
    allocated: 0,
    reserved: 0,
    device_used: null,
  },
  {
    record: "phase",
    t: 300,
    pid: 10,
    phase: "to-device",
    file: 1,
    line: 2,
    rss: 84 * MIB,
    mem_available: 1700 * MIB,
    nvmap: null,
    allocated: 0,
    reserved: 20 * MIB,
    device_used: 2300 * MIB,
  },
  { record: "end", t: 2000 },
];

export const SAMPLES: readonly object[] = [
  { schema: 1, record: "header", started_unix_ms: 1795254301123, interval_ms: 200 },
  { t: 0, hits: 0, rss: 20 * MIB, rss_peak: 20 * MIB, mem_available: 2000 * MIB, swap_used: 0, at: [0, 4] },
  { t: 200, hits: 3, rss: 148 * MIB, rss_peak: 148 * MIB, mem_available: 1800 * MIB, swap_used: 0, at: [1, 3] },
  { t: 400, hits: 9, rss: 96 * MIB, rss_peak: 148 * MIB, mem_available: 1900 * MIB, swap_used: 0, at: [0, 7] },
];

export const ORIGIN: object = {
  schema: 1,
  target: "ssh://nano@192.168.1.20",
  board_folder: "/home/nano/.jetson-memprof/runs/20261121-094501-train-3fa9",
  simulated: false,
};

export function jsonLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

/** The files of a run folder by their names in it. */
export function runFiles(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    "run.json": JSON.stringify(runJson()),
    "lines.jsonl": jsonLines(LINES),
    "samples.jsonl": jsonLines(SAMPLES),
    "origin.json": JSON.stringify(ORIGIN),
    "sources/train.py": TRAIN,
    "sources/model.py": MODEL,
    ...changes,
  };
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  }
}

/** A project in a fresh temporary folder with one run in it, and its sources in place. */
export function makeProject(files = runFiles()): { project: string; run: string; remove: () => void } {
  const project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "jmp-profile-")));
  const run = path.join(project, ".jetson-memprof", "runs", "20261121-094501-train-3fa9");
  fs.mkdirSync(run, { recursive: true });
  writeFiles(run, files);
  writeFiles(project, { "train.py": TRAIN, "model.py": MODEL });
  return { project, run, remove: () => fs.rmSync(project, { recursive: true, force: true }) };
}
