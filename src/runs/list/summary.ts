import { defined } from "../../profile/defined.ts";
import { sampledMean } from "../../profile/run/nativeStacks.ts";
import { originName } from "../../profile/run/origin.ts";
import type { RunHead } from "../../profile/run/runHead.ts";
import { type ListedRun, runTitle } from "../../profile/run/runJson.ts";
import type { Keeping, RunSummary } from "../model.ts";

export interface ListedHead extends Pick<RunHead, "origin" | "rssPeak" | "metrics" | "recordings"> {
  readonly run: ListedRun;
}

/** What lists and views say of a run. */
export function summarise(
  folder: string,
  { run, origin, rssPeak, metrics, recordings }: ListedHead,
  { problems, ...keeping }: Keeping,
): RunSummary {
  const { script, module } = run.command;
  const entry = script ?? (module === undefined ? undefined : `-m ${module}`);
  return {
    folder,
    id: run.id,
    title: runTitle(run),
    state: run.state,
    simulated: origin?.simulated === true || run.board.simulated !== undefined,
    massif: run.engine.name === "massif",
    ...(sampledMean(run.engine) === undefined ? {} : { sampled: true }),
    metrics,
    ...recordings,
    ...keeping,
    ...defined({ imported: run.imported }),
    warnings: [...problems, ...run.warnings.map((warning) => warning.message)],
    ...defined({
      script: entry,
      started: run.started,
      elapsedMs: run.elapsedMs,
      exit: run.exit,
      target: origin === undefined ? undefined : originName(origin, run.board.simulated),
      rssPeak,
    }),
  };
}
