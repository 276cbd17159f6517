import { targetName } from "../profile/origin.ts";
import type { RunHead } from "../profile/runHead.ts";
import { runTitle } from "../profile/runJson.ts";
import type { RunSummary } from "../protocol/server.ts";

/** What views say of a run. */
export function summarise(folder: string, { run, origin, rssPeak, metrics, recordings }: RunHead): RunSummary {
  return {
    folder,
    id: run.id,
    title: runTitle(run),
    state: run.state,
    simulated: origin?.simulated === true || run.board.simulated !== undefined,
    massif: run.engine.name === "massif",
    metrics,
    ...recordings,
    warnings: run.warnings.map((warning) => warning.message),
    ...(run.started === undefined ? {} : { started: run.started }),
    ...(run.elapsedMs === undefined ? {} : { elapsedMs: run.elapsedMs }),
    ...(run.exit === undefined ? {} : { exit: run.exit }),
    ...(origin === undefined ? {} : { target: targetName(origin.target, origin.simulated, run.board.simulated) }),
    ...(rssPeak === undefined ? {} : { rssPeak }),
  };
}
