// A project with many recorded runs, as the extension leaves them: for bench/history and to look at by hand.
import * as fs from "node:fs";
import * as path from "node:path";

const MIB = 2 ** 20;
const START = Date.UTC(2026, 0, 5, 8);
const MINUTE = 60_000;

const lines = (records) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** Samples each 200 ms, as of a run of half a minute. */
function samples(peak) {
  return lines([
    { schema: 1, record: "header" },
    ...Array.from({ length: 150 }, (_, i) => ({
      t: i * 200,
      rss: Math.round(peak * (0.6 + 0.4 * Math.min(1, i / 75))),
      rss_peak: Math.round(peak * (0.6 + 0.4 * Math.min(1, i / 75))),
      mem_available: 2_100_000_000 - i * 1_000_000,
      at: [0, 20 + (i % 12)],
    })),
  ]);
}

function runJson(id, started, index) {
  return {
    schema: 1,
    id,
    state: "finished",
    engine: { name: "line", exact: false, peak: true, accelerator: true },
    command: { python: "/usr/bin/python3", script: "train.py", args: ["--batch-size", String(16 << (index % 4))] },
    project_root: "/home/nano/.jetson-memprof/projects/lenet-1a2b3c4d",
    cwd: "/home/nano/.jetson-memprof/projects/lenet-1a2b3c4d",
    started: started.toISOString(),
    ended: new Date(started.getTime() + 30_000).toISOString(),
    elapsed_ms: 30_000,
    exit: index % 17 === 0 ? { kind: "exited", code: 1 } : { kind: "exited", code: 0 },
    last_lines: [],
    environment: {},
    board: { model: "NVIDIA Jetson Nano Developer Kit", l4t: "32.7.1", machine: "aarch64", mem_total: 4151091200 },
    versions: { helper: "0.1.0", python: "3.6.9", torch: "1.10.0" },
    metrics: ["rss", "cuda", "system"],
    processes: [{ pid: 10, ppid: 9, kind: "main", label: "main", implementation: "accelerator" }],
    output: { stdout: { bytes: 5, kept: 5 }, stderr: { bytes: 0, kept: 0 } },
    files: Array.from({ length: 12 }, (_, i) => ({
      path: `pkg/module_${i}.py`,
      sha256: "ab".repeat(32),
      source: `sources/pkg/module_${i}.py`,
    })),
    warnings: [{ code: "accelerator-refused", message: "The pure Python engine ran in the accelerator's place." }],
  };
}

/** Below `project`, `count` runs a minute apart: every fifth named, every tenth tagged, sweeps of ten among them. */
export function makeRuns(project, count) {
  const runs = path.join(project, ".jetson-memprof", "runs");
  for (let index = 0; index < count; index++) {
    const started = new Date(START + index * MINUTE);
    const stamp = started.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
    const id = `${stamp}-train-${index.toString(16).padStart(4, "0")}`;
    const folder = path.join(runs, id);
    fs.mkdirSync(path.join(folder, "sources"), { recursive: true });
    const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
    const json = (name, value) => write(name, `${JSON.stringify(value)}\n`);
    json("run.json", runJson(id, started, index));
    json("origin.json", { schema: 1, target: "ssh://nano@192.168.1.20", board_folder: `/r/${id}`, simulated: false });
    write("samples.jsonl", samples((300 + (index % 400)) * MIB));
    write("lines.jsonl", lines([{ schema: 1, record: "header", run: id }]));
    write("moments.jsonl", lines([{ schema: 1, record: "header" }]));
    write("stdout.log", "done\n");
    write("stderr.log", "");
    write("sources/train.py", "print('done')\n");
    const changed = index % 3 === 0 ? ["train.py"] : [];
    json("git.json", { schema: 1, commit: "1a2b3c4d".repeat(5), branch: "main", changed, truncated: false });
    if (changed.length > 0) write("changes.diff", "--- a/train.py\n+++ b/train.py\n");
    if (index % 5 === 0) json("label.json", { schema: 1, name: `attempt ${index}`, tags: index % 10 ? [] : ["fp16"] });
    if (index % 50 < 10) {
      const values = { "batch-size": String(index % 50) };
      json("group.json", {
        schema: 1,
        kind: "sweep",
        id: `sweep-${Math.floor(index / 50)}`,
        index: (index % 50) + 1,
        of: 10,
        values,
      });
    }
  }
  return runs;
}
