/** The users' case on a simulated board: a PyTorch training script, alone and with DataLoader workers. */
import * as fs from "node:fs";
import * as path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { requirement } from "../support/requirement.ts";
import { type Result, root, useProgram } from "./cli/program.ts";

const PYTHON = "/usr/bin/python3";
const TORCH = "/usr/lib/python3/dist-packages/torch/__init__.py";
const MIB = 1024 * 1024;

interface Line {
  readonly line: number;
  readonly hits: number;
  readonly system?: Readonly<Record<string, number>>;
  readonly [figure: `${string}_bytes`]: number;
}
interface Report {
  readonly schema: number;
  readonly run: { readonly id: string; readonly processes: readonly { pid: number; kind: string; label: string }[] };
  readonly metrics: readonly string[];
  readonly cuda: readonly object[];
  readonly phases: readonly { readonly phase: string }[];
  readonly files: readonly { readonly path: string; readonly lines: readonly Line[] }[];
}

const FIGURES = ["net", "self", "max_increment", "peak", "usage", "uncertain", "peak_uncertain"].map(
  (name) => `${name}_bytes`,
);

describe.skipIf(!requirement("python3-torch", TORCH))("a training script on the simulated board", () => {
  const scene = useProgram();
  beforeEach(() => {
    scene.script("train_lenet.py", fs.readFileSync(path.join(root, "examples", "train_lenet.py"), "utf8"));
  });

  async function profile(...args: string[]): Promise<Result> {
    const where = ["--target", "loopback", "--python", PYTHON, "--json"];
    return await scene.run("profile", ...where, ...args);
  }

  /** The figures of the only line of `script` with this text. */
  function lineOf(report: Report, script: string, text: string): Line {
    const source = fs.readFileSync(path.join(scene.project, script), "utf8").split("\n");
    const numbers = source.flatMap((line, i) => (line.includes(text) ? [i + 1] : []));
    expect(numbers).toHaveLength(1);
    const found = report.files.find((file) => file.path === script)?.lines.find((row) => row.line === numbers[0]);
    if (found === undefined) throw new Error(`${script}: no figures for ${text}`);
    return found;
  }

  /** What the line table has of a run, read without our reader: the newest row of each process, file and line. */
  function rowsOfTable(report: Report): { pid: number; line: number; hits: number; self: number }[] {
    const table = path.join(scene.project, ".jetson-memprof", "runs", report.run.id, "lines.jsonl");
    const newest = new Map<string, { pid: number; line: number; hits: number; self: number }>();
    for (const text of fs.readFileSync(table, "utf8").trimEnd().split("\n")) {
      const record = JSON.parse(text);
      if (record.record !== "rows") continue;
      for (const [file, line, hits, , self] of record.rows) {
        newest.set(`${record.pid} ${file} ${line}`, { pid: record.pid, line, hits, self });
      }
    }
    return [...newest.values()];
  }

  it("LeNet: the data set's line shows its size, the move to the device is there, the JSON is as documented", async () => {
    const samples = 6000;
    const { status, stdout, stderr } = await profile("train_lenet.py", "--samples", String(samples));
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/^epoch 1 {2}loss \d\.\d{4}\n$/);
    const report: Report = JSON.parse(stdout);
    expect(Object.keys(report)).toEqual(["schema", "run", "metrics", "cuda", "phases", "files"]);
    expect(report.schema).toBe(1);
    expect(report.files.map((file) => file.path)).toEqual(["train_lenet.py"]);
    // PyTorch for the CPU: no CUDA, but the phases of a training.
    expect([report.metrics, report.cuda]).toEqual([["rss", "system"], []]);
    expect(report.phases.map(({ phase }) => phase)).toEqual([
      "import-torch",
      "to-device",
      "first-forward",
      "first-backward",
      "first-step",
      "steady",
    ]);
    for (const { line, hits, system, ...figures } of report.files[0]?.lines ?? []) {
      expect(Number.isSafeInteger(line) && line > 0 && Number.isSafeInteger(hits)).toBe(true);
      expect(FIGURES).toEqual(expect.arrayContaining(Object.keys(figures)));
      expect(Object.values(figures).every(Number.isSafeInteger)).toBe(true);
      if (system) expect(Object.keys(system)).toEqual(["net_bytes", "self_bytes", "uncertain_bytes"]);
    }

    // The board's memory is not read during each line, but during some.
    expect(report.files[0]?.lines.some(({ system }) => system)).toBe(true);

    // The first call of the library also brings code of its own into memory: 1.3 MiB.
    const randn = lineOf(report, "train_lenet.py", "torch.randn(");
    const size = samples * 3 * 32 * 32 * 4;
    expect(randn.hits).toBe(1);
    for (const figure of ["net_bytes", "self_bytes", "max_increment_bytes", "peak_bytes"] as const) {
      expect(randn[figure]).toBeGreaterThan(size - 64 * 1024);
      expect(randn[figure]).toBeLessThan(size + 4 * MIB);
    }
    const made = lineOf(report, "train_lenet.py", "dataset = make_dataset(");
    expect(made["net_bytes"]).toBeGreaterThanOrEqual(randn["net_bytes"] ?? Number.NaN);
    expect(Math.abs(made["self_bytes"] ?? Number.NaN)).toBeLessThan(MIB);
    const moved = lineOf(report, "train_lenet.py", "net = net.to(device)");
    expect(moved).toMatchObject({ hits: 1, net_bytes: expect.any(Number), usage_bytes: expect.any(Number) });
    const batches = Math.ceil(samples / 64);
    expect(lineOf(report, "train_lenet.py", "loss.backward()").hits).toBe(batches);
    expect(report.run.processes).toMatchObject([{ kind: "main", label: "main" }]);
  });

  it("LeNet with two workers: both are in the run, and what they took is in the sums", async () => {
    const { status, stdout, stderr } = await profile("train_lenet.py", "--workers", "2", "--samples", "1024");
    expect(status, stderr).toBe(0);
    const report: Report = JSON.parse(stdout);
    expect(report.run.processes).toMatchObject([
      { kind: "main", label: "main" },
      { kind: "fork", label: "worker 1" },
      { kind: "fork", label: "worker 2" },
    ]);
    const rows = rowsOfTable(report);
    const loop = lineOf(report, "train_lenet.py", "for images, labels in loader:");
    for (const { pid, kind } of report.run.processes) {
      // A worker was forked off in this line and serves it until its end.
      const own = rows.find((row) => row.pid === pid && row.line === loop.line);
      if (kind === "fork") expect(own?.self).toBeGreaterThan(MIB);
    }
    for (const { line, hits, self_bytes } of report.files[0]?.lines ?? []) {
      const here = rows.filter((row) => row.line === line);
      expect({ line, hits, self_bytes }).toEqual({
        line,
        hits: here.reduce((sum, row) => sum + row.hits, 0),
        self_bytes: here.reduce((sum, row) => sum + row.self, 0),
      });
    }
    // What the loop's body holds was measured where the loop ran: in the main process alone.
    expect(loop.hits).toBe(1024 / 64 + 1);
    expect(lineOf(report, "train_lenet.py", "loss.backward()").hits).toBe(1024 / 64);
  });

  it("a data set of one's own: its lines ran in the workers and are counted over both", async () => {
    fs.writeFileSync(
      path.join(scene.project, "own.py"),
      `from torch.utils.data import DataLoader, Dataset

class Pictures(Dataset):
    def __len__(self):
        return 24
    def __getitem__(self, index):
        if index < 2:
            self.kept = bytearray(8 << 20)
        return index

seen = [int(x) for batch in DataLoader(Pictures(), batch_size=1, num_workers=2) for x in batch]
print(sorted(seen) == list(range(24)))
`,
    );
    const { status, stdout, stderr } = await profile("own.py");
    expect(status, stderr).toBe(0);
    expect(stderr).toBe("True\n");
    const report: Report = JSON.parse(stdout);
    const asked = lineOf(report, "own.py", "if index < 2:");
    expect(asked.hits).toBe(24);
    // 8 MiB in each of two workers, before its first result: with that it starts a thread, and what this takes of the
    // library falls into whatever line is open.
    const kept = lineOf(report, "own.py", "self.kept = ");
    expect(kept.hits).toBe(2);
    expect(Math.abs((kept["net_bytes"] ?? 0) - 16 * MIB)).toBeLessThan(512 * 1024);
    expect(Math.abs((kept["max_increment_bytes"] ?? 0) - 8 * MIB)).toBeLessThan(256 * 1024);
    const workers = report.run.processes.filter((process) => process.kind === "fork").map((process) => process.pid);
    expect(workers).toHaveLength(2);
    for (const [{ line }, hits] of [[asked, 12] as const, [kept, 1] as const]) {
      const rows = rowsOfTable(report).filter((row) => row.line === line);
      expect(rows.map((row) => row.pid).sort()).toEqual([...workers].sort());
      expect(rows.every((row) => row.hits === hits)).toBe(true);
    }
  });
});
