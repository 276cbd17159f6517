import { afterEach, describe, expect, it } from "vitest";
import { jsonLines, MIB, makeProject, runFiles, runJson, TORCH_LINES } from "../../profile/testing.ts";
import type { SweepRun } from "../model.ts";
import { readSweepRun } from "./readRun.ts";

const VALUES = { batch: "16" };
const MEMINFO = ["MemTotal", "MemFree", "MemAvailable"];
const MOMENTS = jsonLines([
  { schema: 1, record: "header", unix_ms: 1_795_254_301_123, interval_ms: 1_000, meminfo: MEMINFO },
  { t: -50, baseline: true, m: [4_053_800, 1_500_000, 2_048_000], p: [] },
  { t: 1_000, m: [4_053_800, 1_100_000, 1_740_800], run: [10], p: [[10, "python3", 1_000, 96 * MIB]] },
]);
const OOM =
  "Traceback (most recent call last):\n" +
  '  File "/home/nano/project/train.py", line 7, in main\n' +
  "RuntimeError: CUDA out of memory. Tried to allocate 96.00 MiB (GPU 0; 3.87 GiB total capacity; 1.41 GiB already " +
  "allocated; 64.00 MiB free; 2.00 GiB reserved in total by PyTorch)\n";

describe("a run of a sweep, from its folder", () => {
  let remove = (): void => {};
  afterEach(() => remove());

  async function read(changes: Readonly<Record<string, string>>, run: object = {}): Promise<SweepRun> {
    const project = makeProject(runFiles({ "run.json": JSON.stringify(runJson(run)), ...changes }));
    remove = project.remove;
    return await readSweepRun(project.run, VALUES);
  }

  it("has its peaks, what was available before it, and where it ran", async () => {
    const run = await read({ "moments.jsonl": MOMENTS });
    expect(run).toMatchObject({
      outcome: "fits",
      values: VALUES,
      elapsedMs: 2_000,
      available: 2_000 * MIB,
      simulated: false,
      peaks: { rss: 148 * MIB },
    });
    expect(run.target).toContain("192.168.1.20");
  });

  it("the board's growth is the most of moments and of the samples between them", async () => {
    expect((await read({ "moments.jsonl": MOMENTS })).peaks.board).toBe(300 * MIB);
    remove();
    const deeper = jsonLines([
      { schema: 1, record: "header", started_unix_ms: 1_795_254_301_123, interval_ms: 200 },
      { t: 600, hits: 9, rss: 96 * MIB, rss_peak: 148 * MIB, mem_available: 1_500 * MIB },
    ]);
    expect((await read({ "moments.jsonl": MOMENTS, "samples.jsonl": deeper })).peaks.board).toBe(500 * MIB);
  });

  it("does not know the board's figures where they were not recorded", async () => {
    const run = await read({});
    expect(run.peaks).not.toHaveProperty("board");
    expect(run.peaks).not.toHaveProperty("cuda");
    expect(run).not.toHaveProperty("available");
  });

  it("knows the CUDA memory that PyTorch reserved, and what there was for it on a board with one memory", async () => {
    const run = await read(
      { "lines.jsonl": jsonLines(TORCH_LINES), "moments.jsonl": MOMENTS },
      { metrics: ["rss", "cuda", "system"] },
    );
    expect(run.peaks.cuda).toBe(120 * MIB);
    expect(run.cudaRoom).toEqual({ bytes: 1_720 * MIB, how: expect.stringContaining("once CUDA had started") });
  });

  it("tells CUDA's out of memory from another failure of the same exit status, and takes PyTorch at its word", async () => {
    const ended = { exit: { kind: "exited", code: 1 } };
    const memory = await read({ "stderr.log": OOM }, ended);
    expect(memory).toMatchObject({
      outcome: "out-of-memory",
      reason: expect.stringContaining("CUDA"),
      cudaRoom: { bytes: 2_112 * MIB, how: expect.stringContaining("in its own words") },
    });
    remove();
    const other = await read(
      { "stderr.log": "Traceback (most recent call last):\nValueError: no such batch\n" },
      ended,
    );
    expect(other.outcome).toBe("failed");
    expect(other).not.toHaveProperty("reason");
  });

  it.each([
    [{ kind: "out-of-memory", signal: "SIGKILL" }, "out-of-memory"],
    [{ kind: "signalled", signal: "SIGSEGV" }, "failed"],
    [{ kind: "lost" }, "failed"],
    [{ kind: "cancelled" }, "stopped"],
    [{ kind: "not-started", message: "no Python" }, "stopped"],
  ])("ended as %j it is %s", async (exit, outcome) => {
    expect((await read({}, { exit })).outcome).toBe(outcome);
  });

  it("is running as long as it runs", async () => {
    expect((await read({}, { state: "running", exit: null, ended: null })).outcome).toBe("running");
  });
});
