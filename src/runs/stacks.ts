/** Whether a run has something for the flame view. */
import type { RunSummary } from "./model.ts";

export function hasStacks({ massif, sampled }: Pick<RunSummary, "massif" | "sampled">): boolean {
  return massif || sampled === true;
}
