/** What was profiled last in this workspace, for Profile Again. Checked when it is read, as versions change. */
import * as v from "valibot";
import { defined } from "../../profile/defined.ts";
import type { TorchRequest } from "../../protocol/run/run.ts";
import type { RunOptions } from "./options/runOptions.ts";
import type { ChosenScript } from "./options/scriptChoice.ts";

const KEY = "jetsonMemprof.lastProfile";

/** As the settings say, which may be others by then, or as the person answered. */
export type How =
  | { readonly manner: "settings" | "native" | "massif" | "model" }
  | { readonly manner: "ask"; readonly options: RunOptions };

export interface LastPlan {
  readonly chosen: ChosenScript;
  /** In the form `parseTarget` reads. */
  readonly target: string;
  readonly how: How;
}

/** Of VS Code's Memento what is used here. */
export interface PlanMemory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const text = v.pipe(v.string(), v.minLength(1));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const torchSchema: v.GenericSchema<unknown, TorchRequest> = v.object({
  exactPeaks: v.boolean(),
  snapshots: v.exactOptional(v.object({ entries: count })),
  model: v.exactOptional(v.object({ steps: count })),
});
const how = v.variant("manner", [
  v.object({ manner: v.picklist(["settings", "native", "massif", "model"]) }),
  v.object({
    manner: v.literal("ask"),
    args: v.array(v.string()),
    engine: v.picklist(["line", "memory_profiler", "massif"]),
    exact: v.boolean(),
    python: v.exactOptional(v.string()),
    torch: v.exactOptional(torchSchema),
    nativeStacks: v.exactOptional(v.literal(true)),
  }),
]);
const plan = v.object({ projectFolder: text, script: text, target: text, how });

export async function rememberPlan(memory: PlanMemory, { chosen, target, how }: LastPlan): Promise<void> {
  await memory.update(KEY, { ...chosen, target, how: how.manner === "ask" ? askedOf(how.options) : how });
}

function askedOf({ args, engine, exact, python, torch, nativeStacks }: RunOptions): v.InferInput<typeof how> {
  return {
    manner: "ask",
    args: [...args],
    engine,
    exact,
    ...(nativeStacks === true ? { nativeStacks } : {}),
    ...defined({ python, torch }),
  };
}

/** Undefined where nothing was profiled yet. */
export function lastPlan(memory: PlanMemory): LastPlan | undefined {
  const { success, output } = v.safeParse(plan, memory.get(KEY));
  if (!success) return undefined;
  const { projectFolder, script, target, how } = output;
  const chosen = { projectFolder, script };
  if (how.manner !== "ask") return { chosen, target, how };
  const { args, engine, exact, python, torch, nativeStacks } = how;
  return {
    chosen,
    target,
    how: {
      manner: "ask",
      options: { args, engine, exact, python, torch, ...(nativeStacks === true ? { nativeStacks } : {}) },
    },
  };
}
