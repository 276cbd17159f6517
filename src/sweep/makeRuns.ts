/** Makes the runs of a sweep, one after the other on each board; who calls says how one is made. */
import { mapBounded } from "../runs/concurrency.ts";
import type { RunGroup } from "../runs/model.ts";
import { boardParameter, type GridParameter } from "./grid.ts";
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

/** Unless another number is asked for. */
export const BOARDS_AT_ONCE = 4;

/** What a job came to; `stop` ends the sweep, `lost` what is to be made on this board. */
export type Made = { readonly kind: "made"; readonly run: SweepRun } | { readonly kind: "stop" | "lost" };

/**
 * Only what is missing among `before` is made: points without a run that says anything, and repeats of those that fit.
 * @param ended a point's last run has ended, or it was skipped
 * @param boardsAtOnce at most so many boards run something at a time
 * @param now milliseconds
 * @returns all runs
 * @throws what `make` throws, once nothing runs any more
 */
export async function makeRuns(
  plan: SweepPlan,
  before: readonly SweepRun[],
  make: (job: Job) => Promise<Made>,
  ended: (values: Values, runs: readonly SweepRun[]) => void,
  boardsAtOnce = 1,
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
  let isStopped = false;
  const makeOn = async (board: readonly Place[]): Promise<void> => {
    for (const { place, values } of board) {
      for (
        let repetition = telling(values, runs).length + 1;
        repetition <= plan.repeat && runsLeft(plan, values, runs) > 0;
        repetition++
      ) {
        if (isStopped) return;
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
        if (made.kind !== "made") {
          isStopped ||= made.kind === "stop";
          return;
        }
        runs.push(made.run);
      }
      ended(values, runs);
    }
  };
  const faults: unknown[] = [];
  await mapBounded(placesByBoard(plan, points), boardsAtOnce, (board) =>
    makeOn(board).catch((error) => {
      // What runs on the other boards is waited for, and nothing more is begun.
      isStopped = true;
      faults.push(error);
    }),
  );
  if (faults.length > 0) throw faults[0];
  return runs;
}

interface Place {
  readonly place: number;
  readonly values: Values;
}

function placesByBoard({ parameters }: SweepPlan, points: readonly Values[]): readonly (readonly Place[])[] {
  const board = boardParameter(parameters) ?? "";
  const found = new Map<string | undefined, Place[]>();
  for (const [place, values] of points.entries()) {
    const own = found.get(values[board]);
    if (own === undefined) found.set(values[board], [{ place, values }]);
    else own.push({ place, values });
  }
  return [...found.values()];
}
