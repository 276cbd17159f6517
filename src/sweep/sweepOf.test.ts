import { describe, expect, it } from "vitest";
import { carefulEstimate } from "./limits.ts";
import type { Parameter, SweepRun } from "./model.ts";
import { sweepOf } from "./sweepOf.ts";
import { lineRuns, MIB, runAt } from "./testing.ts";

const planned = (
  parameters: readonly Parameter[],
  runs: readonly SweepRun[],
  repeat = 1,
  larger: "skip" | "run" = "skip",
) => sweepOf({ id: "g", title: "train.py", plan: { parameters, repeat, larger }, runs });
const batches = (...values: readonly number[]): Parameter => ({ name: "batch", values: values.map(String) });
const ROOM = { available: 1_000 * MIB };

describe("a sweep from its runs", () => {
  it("has each point's median and spread over its repeats", () => {
    const runs = [300, 310, 304].map((mib) => runAt({ batch: "16" }, { peaks: { rss: mib * MIB }, elapsedMs: mib }));
    const [point] = planned([batches(16)], runs, 3).points;
    expect(point).toMatchObject({
      state: "fits",
      peaks: { rss: { median: 304 * MIB, spread: 10 * MIB, runs: 3, least: 300 * MIB, most: 310 * MIB } },
      elapsedMs: { median: 304, spread: 10, runs: 3 },
    });
  });

  it("takes the middle of an even number of repeats, and knows no spread of one", () => {
    const runs = [300, 310].map((mib) => runAt({ batch: "16" }, { peaks: { rss: mib * MIB } }));
    expect(planned([batches(16)], runs, 2).points[0]?.peaks.rss?.median).toBe(305 * MIB);
    expect(planned([batches(16)], runs.slice(0, 1), 2).points[0]?.peaks.rss).not.toHaveProperty("spread");
  });

  it("a point that once did not fit does not fit, and its figures are of the run that did not", () => {
    const runs = [
      runAt({ batch: "16" }, { peaks: { rss: 300 * MIB } }),
      runAt({ batch: "16" }, { outcome: "out-of-memory", reason: "Killed.", peaks: { rss: 290 * MIB } }),
    ];
    expect(planned([batches(16)], runs, 2).points[0]).toMatchObject({
      state: "out-of-memory",
      reason: "Killed.",
      peaks: { rss: { median: 290 * MIB, runs: 1 } },
    });
  });

  it("tells what was skipped from what is missing, and a failure from want of memory", () => {
    const runs = [
      runAt({ batch: "8", device: "cpu" }, { outcome: "failed" }),
      runAt({ batch: "16", device: "cuda" }, { outcome: "out-of-memory" }),
      runAt({ batch: "8", device: "cuda" }, { outcome: "stopped" }),
    ];
    const sweep = planned([{ name: "device", values: ["cpu", "cuda"] }, batches(8, 16, 32)], runs);
    expect(sweep.points.map(({ state }) => state)).toEqual([
      "failed",
      "missing",
      "missing",
      "missing",
      "out-of-memory",
      "skipped",
    ]);
    expect(sweep.notes).toEqual(["The run with batch 8, device cuda was stopped, so it shows nothing."]);
  });

  it("does not call skipped what is run all the same", () => {
    const runs = [runAt({ batch: "8" }, { outcome: "out-of-memory" })];
    const points = (larger: "skip" | "run") => planned([batches(8, 16)], runs, 1, larger).points;
    expect(points("run").map(({ state, left }) => [state, left])).toEqual([
      ["out-of-memory", 0],
      ["missing", 1],
    ]);
    expect(points("skip").map(({ state, left }) => [state, left])).toEqual([
      ["out-of-memory", 0],
      ["skipped", 0],
    ]);
  });

  it("knows the repeats that a point still lacks, though it fits", () => {
    const runs = [...Array(5).fill(runAt({ batch: "8" })), runAt({ batch: "16" })];
    expect(planned([batches(8, 16)], runs, 5).points.map(({ state, left }) => [state, left])).toEqual([
      ["fits", 0],
      ["fits", 4],
    ]);
  });

  it("finds the line, the room and the largest value that fits", () => {
    const sweep = planned([batches(16, 32, 64)], lineRuns(400, 5, [16, 32, 64], ROOM));
    expect(sweep.rooms.rss).toMatchObject({ bytes: 1_000 * MIB });
    const [limit] = sweep.limits;
    expect(limit).toMatchObject({ parameter: "batch", others: {}, largestRun: 64 });
    expect(limit && carefulEstimate(limit)).toMatchObject({ figure: "rss", largest: 120, line: { points: 3 } });
  });

  it("takes the least that was available before any run, and says that it differed", () => {
    const runs = lineRuns(400, 5, [16, 32, 64]).map((run, i) => ({ ...run, available: (1_000 - 200 * i) * MIB }));
    const sweep = planned([batches(16, 32, 64)], runs);
    expect(sweep.rooms.board).toEqual({ bytes: 600 * MIB, how: expect.stringContaining("the least of 3") });
    expect(sweep.notes[0]).toContain("from 600.0 MiB to 1000.0 MiB");
  });

  it("has a limit for each combination of the others", () => {
    const runs = ["cpu", "cuda"].flatMap((device) =>
      lineRuns(100, device === "cpu" ? 5 : 10, [16, 32, 64], ROOM).map((run) => ({
        ...run,
        values: { device, ...run.values },
      })),
    );
    const { limits } = planned([{ name: "device", values: ["cpu", "cuda"] }, batches(16, 32, 64)], runs);
    expect(limits.map((limit) => [limit.others, carefulEstimate(limit)?.largest])).toEqual([
      [{ device: "cpu" }, 180],
      [{ device: "cuda" }, 90],
    ]);
  });

  it("whole values have a whole limit, others one of three digits, both downwards", () => {
    const whole = planned([batches(1, 2, 3)], lineRuns(0, 130, [1, 2, 3], ROOM));
    expect(whole.limits[0]?.estimates[0]).toMatchObject({ largest: 7 });
    const runs = [0.5, 1, 1.5].map((x) => runAt({ width: String(x) }, { ...ROOM, peaks: { rss: x * 300 * MIB } }));
    const broken = planned([{ name: "width", values: ["0.5", "1", "1.5"] }], runs);
    expect(broken.limits[0]?.estimates[0]).toMatchObject({ largest: 3.33 });
  });

  it("goes by the scarcest memory; RSS does not count where CUDA memory was used", () => {
    const runs = [16, 32, 64].map((batch) =>
      runAt(
        { batch: String(batch) },
        {
          ...ROOM,
          peaks: { rss: (100 + 9 * batch) * MIB, board: (100 + 7 * batch) * MIB, cuda: (50 + 5 * batch) * MIB },
          cudaRoom: { bytes: 450 * MIB, how: "by PyTorch" },
        },
      ),
    );
    const [limit] = planned([batches(16, 32, 64)], runs).limits;
    expect(limit?.estimates.map((one) => one.kind === "fits-up-to" && one.largest)).toEqual([100, 128, 80]);
    expect(limit && carefulEstimate(limit)?.figure).toBe("cuda");
  });

  it.each([
    [
      "a value that ran out of memory",
      [runAt({ batch: "96" }, { outcome: "out-of-memory" })],
      "but 96 ran out of memory",
    ],
    ["a value that ran", lineRuns(400, 5, [128], ROOM), "but 128 ran"],
  ])("gives no estimate that %s contradicts", (_what, more, words) => {
    const { limits } = planned([batches(16, 32, 64, 96, 128)], [...lineRuns(400, 5, [16, 32, 64], ROOM), ...more]);
    expect(limits[0]?.estimates[0]).toMatchObject({
      figure: "rss",
      kind: "no-limit",
      reason: expect.stringContaining(words),
    });
  });

  it("gives no estimate far beyond what ran, of an unknown room or of fewer than three values", () => {
    const reason = (runs: readonly SweepRun[]) => {
      const estimate = planned([batches(1, 2, 4)], runs).limits[0]?.estimates[0];
      return estimate !== undefined && "reason" in estimate ? estimate.reason : "an estimate";
    };
    expect(reason(lineRuns(10, 5, [1, 2, 4], { available: 100_000 * MIB }))).toContain("Run larger values");
    expect(reason(lineRuns(10, 5, [1, 2, 4]))).toBe("How much memory there was is not known.");
    expect(reason(lineRuns(10, 5, [1, 4], ROOM))).toContain("Fewer than 3");
  });

  it("on several boards each has its own room, and that they differ is no surprise", () => {
    const on = (board: string, mib: number) =>
      lineRuns(400, 5, [16, 32, 64], { available: mib * MIB, target: board }).map((run) => ({
        ...run,
        values: { board, ...run.values },
      }));
    const parameters = [{ name: "board", values: ["nano", "orin", "agx"] }, batches(16, 32, 64)];
    const runs = [...on("nano", 1_000), ...on("orin", 2_000)];
    const sweep = sweepOf({
      id: "g",
      title: "t",
      plan: { parameters, repeat: 1, larger: "skip" },
      board: "board",
      runs,
    });
    expect(sweep).toMatchObject({ board: "board", rooms: {}, notes: [] });
    expect(sweep).not.toHaveProperty("target");
    expect(sweep.limits.map((limit) => [limit.others["board"], carefulEstimate(limit)?.largest])).toEqual([
      ["nano", 120],
      ["orin", 320],
    ]);
    expect(sweep.points.map(({ values, available }) => [values["board"], available])).toEqual([
      ...Array(3).fill(["nano", 1_000 * MIB]),
      ...Array(3).fill(["orin", 2_000 * MIB]),
      ...Array(3).fill(["agx", undefined]),
    ]);
  });

  it("without its plan it has the grid that its runs span, and says so", () => {
    const sweep = sweepOf({ id: "g", title: "train.py", runs: lineRuns(100, 5, [64, 8, 16]) });
    expect(sweep.parameters).toEqual([{ name: "batch", values: ["8", "16", "64"] }]);
    expect(sweep.notes[0]).toContain("plan of this sweep is gone");
  });
});
