/** What the runs of a sweep say together. */
import { defined } from "../profile/defined.ts";
import { formatBytes } from "../profile/text/format.ts";
import { t } from "../words/t.ts";
import { limitsOf, type Rooms } from "./limits.ts";
import type { Parameter, Planned, Sweep, SweepRun, Values } from "./model.ts";
import { pointsOf, telling } from "./points.ts";
import { inOrder, sameValues, valuesText } from "./values.ts";

export interface SweepSource {
  readonly id: string;
  /** What was run, without the parameters: `train.py --epochs 2`. */
  readonly title: string;
  /** As it was planned; without it the grid is what the runs span. */
  readonly plan?: Planned;
  /** The parameter whose values are boards. */
  readonly board?: string;
  /** In the order in which they were made. */
  readonly runs: readonly SweepRun[];
}

export function sweepOf({ id, title, plan, board, runs }: SweepSource): Sweep {
  const planned: Planned = plan ?? { parameters: spannedBy(runs), repeat: 1, larger: "skip" };
  const { parameters } = planned;
  const points = pointsOf(planned, runs);
  const rooms = board === undefined ? roomsOf(runs) : {};
  const roomsAt = ({ [board ?? ""]: name }: Values): Rooms =>
    board === undefined ? rooms : roomsOf(runs.filter(({ values }) => values[board] === name));
  const target = board === undefined ? runs.find((run) => run.target !== undefined)?.target : undefined;
  return {
    id,
    title,
    ...defined({ target, board }),
    simulated: runs.some(({ simulated }) => simulated),
    parameters: parameters.map(({ name, values }) => ({ name, values })),
    repeat: plan?.repeat ?? Math.max(1, ...points.map(({ folders }) => folders.length)),
    points,
    rooms,
    limits: limitsOf(parameters, points, roomsAt),
    notes: notesOf(parameters, runs, plan !== undefined, board !== undefined),
  };
}

function spannedBy(runs: readonly SweepRun[]): Parameter[] {
  const names = [...new Set(runs.flatMap(({ values }) => Object.keys(values)))];
  return names.map((name) => ({
    name,
    values: inOrder([...new Set(runs.flatMap(({ values }) => values[name] ?? []))]),
  }));
}

function roomsOf(runs: readonly SweepRun[]): Rooms {
  const available = runs.flatMap((run) => run.available ?? []);
  const cuda = runs.flatMap((run) => run.cudaRoom ?? []).sort((a, b) => a.bytes - b.bytes)[0];
  const bytes = Math.min(...available);
  const how =
    available.length === 1
      ? t("available on the board right before the run (MemAvailable), swap not counted")
      : t(
          "available on the board right before the runs (MemAvailable), the least of {0}, swap not counted",
          available.length,
        );
  return {
    ...(available.length === 0 ? {} : { rss: { bytes, how }, board: { bytes, how } }),
    ...defined({ cuda }),
  };
}

/** What a reader of the figures should know. */
function notesOf(
  parameters: readonly Parameter[],
  runs: readonly SweepRun[],
  planned: boolean,
  onSeveral: boolean,
): string[] {
  const available = runs.flatMap((run) => run.available ?? []);
  const [least, most] = [Math.min(...available), Math.max(...available)];
  const stopped = runs.filter(({ outcome, values }) => outcome === "stopped" && telling(values, runs).length === 0);
  const strangers = runs.filter(({ values }) => !parameters.every(({ name }) => values[name] !== undefined));
  return [
    ...(planned ? [] : [t("The plan of this sweep is gone: the points are those that its runs span.")]),
    ...(!onSeveral && new Set(runs.flatMap(({ target }) => target ?? [])).size > 1
      ? [t("The runs were made on more than one target, so the memory they had differs.")]
      : []),
    ...(!onSeveral && available.length > 1 && most - least > 0.1 * most
      ? [
          t(
            "What was available before the runs differed, from {0} to {1}: something else took memory meanwhile.",
            formatBytes(least),
            formatBytes(most),
          ),
        ]
      : []),
    ...stopped
      .filter((run, place) => stopped.findIndex(({ values }) => sameValues(values, run.values)) === place)
      .map(({ values }) => t("The run with {0} was stopped, so it shows nothing.", valuesText(values))),
    ...(strangers.length > 0 ? [t("{0} runs lack a value for a parameter and are left out.", strangers.length)] : []),
  ];
}
