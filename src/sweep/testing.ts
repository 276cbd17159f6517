/** Runs of sweeps for tests. */
import type { PlannedSweep } from "./command.ts";
import type { SweepRun, Values } from "./model.ts";

export const MIB = 2 ** 20;

export function runAt(values: Values, rest: Partial<SweepRun> = {}): SweepRun {
  const folder = `/p/.jetson-memprof/runs/${Object.values(values).join("-")}`;
  return { folder, values, outcome: "fits", peaks: {}, simulated: false, ...rest };
}

/** Runs whose RSS lies on a line over `batch`. MiB. */
export function lineRuns(fixed: number, each: number, batches: readonly number[], rest: Partial<SweepRun> = {}) {
  return batches.map((batch) =>
    runAt({ batch: String(batch) }, { peaks: { rss: (fixed + each * batch) * MIB }, ...rest }),
  );
}

/** Two values of one option, once each. */
export function plannedSweep(id: string): PlannedSweep {
  return {
    id,
    parameters: [{ name: "batch", values: ["8", "16"], way: "option" }],
    repeat: 1,
    larger: "skip",
    command: {
      entry: { kind: "script", path: "train.py" },
      args: ["--epochs", "2"],
      target: "ssh://nano@192.168.1.20",
      engine: "line",
      exact: false,
      accelerator: true,
      torch: { exactPeaks: false, model: { steps: 3 } },
      excludes: ["data/"],
      variables: ["KEY"],
    },
  };
}
