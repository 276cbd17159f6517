/** What was profiled last in this workspace, for Profile Again. Checked when it is read, as versions change. */
import * as v from "valibot";
import type { TorchRequest } from "../../protocol/run/run.ts";
import type { RunOptions } from "./options/runOptions.ts";
import type { ChosenScript } from "./options/scriptChoice.ts";

const KEY = "jetsonMemprof.lastProfile";

export interface LastPlan {
  readonly chosen: ChosenScript;
  /** In the form `parseTarget` reads. */
  readonly target: string;
  readonly options: RunOptions;
}

/** Of VS Code's Memento what is used here. */
export interface PlanMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const text = v.pipe(v.string(), v.minLength(1));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const torch: v.GenericSchema<unknown, TorchRequest> = v.object({
  exactPeaks: v.boolean(),
  snapshots: v.exactOptional(v.object({ entries: count })),
  model: v.exactOptional(v.object({ steps: count })),
});
const plan = v.object({
  projectFolder: text,
  script: text,
  target: text,
  args: v.array(v.string()),
  engine: v.picklist(["line", "memory_profiler", "massif"]),
  exact: v.boolean(),
  python: v.exactOptional(v.string()),
  torch: v.exactOptional(torch),
});

export async function rememberPlan(memory: PlanMemory, { chosen, target, options }: LastPlan): Promise<void> {
  const { args, engine, exact, python, torch: wanted } = options;
  await memory.update(KEY, {
    ...chosen,
    target,
    args,
    engine,
    exact,
    ...(python === undefined ? {} : { python }),
    ...(wanted === undefined ? {} : { torch: withoutTrial(wanted) }),
  });
}

/** Undefined where nothing was profiled yet. */
export function lastPlan(memory: PlanMemory): LastPlan | undefined {
  const { success, output } = v.safeParse(plan, memory.get(KEY));
  if (!success) return undefined;
  const { projectFolder, script, target, args, engine, exact, python, torch: wanted } = output;
  return {
    chosen: { projectFolder, script },
    target,
    options: { args, engine, exact, python, torch: wanted },
  };
}

/** A change that was tried once is no way to profile. */
function withoutTrial({ model, ...rest }: TorchRequest): TorchRequest {
  return model === undefined ? rest : { ...rest, model: { steps: model.steps } };
}
