/** Which sweep is meant, and which there are. Nothing of VS Code is needed to decide it. */
import type { RunListEntry } from "../../protocol/server.ts";

/** The id of a group: as text, or of a row of the view that stands for it or for one of its runs. */
export function groupIn(argument: unknown): string | undefined {
  if (typeof argument === "string" && argument !== "") return argument;
  const row = property(argument, "group") ?? property(property(argument, "run"), "group");
  const runs = property(argument, "runs");
  const id = property(row ?? property(Array.isArray(runs) ? runs[0] : undefined, "group"), "id");
  return typeof id === "string" ? id : undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export interface ListedSweep {
  readonly id: string;
  readonly runs: number;
  readonly parameters: readonly string[];
}

/** In the order of the list, newest first. */
export function sweepsOf(entries: readonly RunListEntry[]): ListedSweep[] {
  const sweeps = new Map<string, ListedSweep>();
  for (const entry of entries) {
    const group = entry.kind === "run" ? entry.run.group : undefined;
    if (group?.kind !== "sweep") continue;
    const runs = (sweeps.get(group.id)?.runs ?? 0) + 1;
    sweeps.set(group.id, { id: group.id, runs, parameters: Object.keys(group.values) });
  }
  return [...sweeps.values()];
}
