/** A point of the grid from its runs. */
import { measured } from "../compare/noise.ts";
import { defined } from "../profile/defined.ts";
import { FIGURES, type Figure, type Peak, type Planned, type SweepPoint, type SweepRun, type Values } from "./model.ts";
import { combinations, sameValues, smallerThatFailed } from "./values.ts";

/** The runs of a point that say something of it. */
export function telling(values: Values, runs: readonly SweepRun[]): readonly SweepRun[] {
  return runs.filter((run) => run.outcome !== "stopped" && sameValues(run.values, values));
}

/** @param runs of one point: one that did not fit is enough to say that it does not */
export function pointState(runs: readonly Pick<SweepRun, "outcome">[]): Exclude<SweepPoint["state"], "skipped"> {
  const found = (["running", "out-of-memory", "failed", "fits"] as const).find((state) =>
    runs.some(({ outcome }) => outcome === state),
  );
  return found ?? "missing";
}

/** How many runs of a point are still to be made. */
export function runsLeft(plan: Planned, values: Values, runs: readonly SweepRun[]): number {
  const own = telling(values, runs);
  const state = pointState(own);
  if ((state !== "missing" && state !== "fits") || isSkipped(plan, values, runs)) return 0;
  return Math.max(0, plan.repeat - own.length);
}

function isSkipped({ parameters, larger }: Planned, values: Values, runs: readonly SweepRun[]): boolean {
  return larger === "skip" && smallerThatFailed(parameters, values, runs) !== undefined;
}

/** Every point of the grid, in its order. */
export function pointsOf(plan: Planned, runs: readonly SweepRun[]): SweepPoint[] {
  return combinations(plan.parameters).map((values) => {
    const own = telling(values, runs);
    const state = pointState(own);
    const skipped = state === "missing" && isSkipped(plan, values, runs);
    const reason = own.find((run) => run.reason !== undefined)?.reason;
    // Runs that ended differently are not repeats of one measurement: of a point that did not fit, those that did not.
    const same = own.filter(({ outcome }) => outcome === state);
    const elapsedMs = measured(same.flatMap((run) => run.elapsedMs ?? []));
    const available = leastOf(own.flatMap((run) => run.available ?? []));
    return {
      values,
      folders: own.map(({ folder }) => folder),
      state: skipped ? "skipped" : state,
      left: runsLeft(plan, values, runs),
      exits: own.flatMap(({ exit }) => exit ?? []),
      ...defined({ reason }),
      peaks: peaksOf(same),
      ...defined({ elapsedMs, available }),
    };
  });
}

const leastOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.min(...values);

function peaksOf(runs: readonly SweepRun[]): SweepPoint["peaks"] {
  const found: Partial<Record<Figure, Peak>> = {};
  for (const figure of FIGURES) {
    const values = runs.flatMap(({ peaks }) => peaks[figure] ?? []);
    const one = measured(values);
    if (one !== undefined) found[figure] = { ...one, least: Math.min(...values), most: Math.max(...values) };
  }
  return found;
}
