/** Sweeps for tests of the page, worked out from runs as real ones are. */
import type { Figure, Sweep, SweepRun } from "../../src/sweep/model.ts";
import { sweepOf } from "../../src/sweep/sweepOf.ts";
import { MIB, runAt } from "../../src/sweep/testing.ts";

const AVAILABLE = 2_959 * MIB;
const BATCHES = ["16", "32", "64", "128", "256", "512"];
const ID = "20261122-061452-train-6ac5";

const peaks = (rss: number, board: number, cuda?: number): SweepRun["peaks"] => {
  const sizes: Partial<Record<Figure, number>> = { rss: rss * MIB, board: board * MIB };
  return cuda === undefined ? sizes : { ...sizes, cuda: cuda * MIB };
};

const folder = (device: string, batch: string, repetition: number): string =>
  `/p/.jetson-memprof/runs/20261122-0615${repetition}-train-${device}${batch}`;

/** A point on the line of its device, with repeats that differ by a few MiB. */
function repeats(device: "cpu" | "cuda", batch: string): SweepRun[] {
  const [fixed, each] = device === "cpu" ? [420, 5] : [900, 7.5];
  const board = fixed + each * Number(batch);
  return [0, 14, -9].map((off, i) =>
    runAt(
      { device, "batch-size": batch },
      {
        folder: folder(device, batch, i),
        exit: { kind: "exited", code: 0 },
        available: AVAILABLE,
        elapsedMs: 20_000 + 40 * Number(batch),
        target: "nano (simulated Jetson Nano)",
        simulated: true,
        peaks:
          device === "cpu"
            ? peaks(board - 30 + off, board + off)
            : peaks(610 + off, board + off, board - 620 + off / 2),
      },
    ),
  );
}

const ended = (device: string, batch: string, rest: Partial<SweepRun>): SweepRun =>
  runAt(
    { device, "batch-size": batch },
    {
      folder: folder(device, batch, 0),
      available: AVAILABLE,
      target: "nano (simulated Jetson Nano)",
      simulated: true,
      ...rest,
    },
  );

export const SWEEP: Sweep = sweepOf({
  id: ID,
  title: "train.py --epochs 2",
  plan: {
    parameters: [
      { name: "device", values: ["cpu", "cuda"] },
      { name: "batch-size", values: BATCHES },
    ],
    repeat: 3,
    larger: "skip",
  },
  runs: [
    ...["16", "32", "64", "128"].flatMap((batch) => repeats("cpu", batch)),
    ended("cpu", "256", {
      outcome: "failed",
      exit: { kind: "exited", code: 2 },
      peaks: peaks(300, 350),
      elapsedMs: 900,
    }),
    ...["16", "32", "64", "128"].flatMap((batch) => repeats("cuda", batch)),
    ended("cuda", "256", {
      outcome: "out-of-memory",
      reason: "PyTorch could get no more CUDA memory at train.py:33.",
      exit: { kind: "exited", code: 1 },
      peaks: peaks(620, 2_700, 2_040),
      elapsedMs: 9_000,
      cudaRoom: {
        bytes: 2_101 * MIB,
        how: "what PyTorch held and what was free on the GPU when memory ran out, in its own words",
      },
    }),
  ],
});

/** Without any parameter of numbers. */
export const WORDS: Sweep = sweepOf({
  id: ID,
  title: "train.py",
  plan: {
    parameters: [
      { name: "model", values: ["resnet18", "mobilenet_v3_small_with_a_long_name"] },
      { name: "amp", values: ["on", "off"] },
    ],
    repeat: 1,
    larger: "skip",
  },
  runs: [
    ["resnet18", "on", 1_210],
    ["resnet18", "off", 1_980],
    ["mobilenet_v3_small_with_a_long_name", "on", 610],
    ["mobilenet_v3_small_with_a_long_name", "off", 870],
  ].map(([model, amp, mib]) =>
    runAt(
      { model: String(model), amp: String(amp) },
      { available: AVAILABLE, peaks: peaks(Number(mib) / 2, Number(mib)) },
    ),
  ),
});
