/** Makes the runs of a sweep one after the other; who calls says how one is made. */
import type { RunGroup } from "../runs/model.ts";
import type { GridParameter } from "./grid.ts";
import type { Planned, SweepRun, Values } from "./model.ts";
import { runsLeft, telling } from "./points.ts";
import { combinations } from "./values.ts";

export interface SweepPlan extends Planned {
  /** The group's id. */
  readonly id: string;
  readonly parameters: readonly GridParameter[];
}

/** One run to be made. */
export interface Job {
  readonly values: Values;
  readonly group: RunGroup;
  /** Of the points, 1-based, and how many there are. */
  readonly point: number;
  readonly points: number;
  /** 1-based, of `plan.repeat`. */
  readonly repetition: number;
  /** What the runs that are left will take, this one too, at the pace of those made so far; milliseconds. */
  readonly leftMs?: number;
}

/** What a job came to; `stop` ends the sweep. */
export type Made = { readonly kind: "made"; readonly run: SweepRun } | { readonly kind: "stop" };

/**
 * Only what is missing among `before` is made: points without a run that says anything, and repeats of those that fit.
 * @param ended a point's last run has ended, or it was skipped
 * @param now milliseconds
 * @returns all runs
 */
export async function makeRuns(
  plan: SweepPlan,
  before: readonly SweepRun[],
  make: (job: Job) => Promise<Made>,
  ended: (values: Values, runs: readonly SweepRun[]) => void,
  now: () => number = Date.now,
): Promise<readonly SweepRun[]> {
  const points = combinations(plan.parameters);
  const runs = [...before];
  const began = now();
  const leftMs = () => {
    const made = runs.length - before.length;
    const left = points.reduce((count, values) => count + runsLeft(plan, values, runs), 0);
    return made === 0 ? {} : { leftMs: (left * (now() - began)) / made };
  };
  for (const [place, values] of points.entries()) {
    for (
      let repetition = telling(values, runs).length + 1;
      repetition <= plan.repeat && runsLeft(plan, values, runs) > 0;
      repetition++
    ) {
      const made = await make({
        values,
        group: {
          kind: "sweep",
          id: plan.id,
          index: place * plan.repeat + repetition,
          of: points.length * plan.repeat,
          values,
        },
        point: place + 1,
        points: points.length,
        repetition,
        ...leftMs(),
      });
      if (made.kind === "stop") return runs;
      runs.push(made.run);
    }
    ended(values, runs);
  }
  return runs;
}
