/** What the runs there are can be filtered by. */
import type { Filter } from "../../../runs/list/arrange.ts";
import { OUTCOMES, outcomeOf } from "../../../runs/list/outcome.ts";
import type { RunListEntry, RunSummary } from "../../../runs/model.ts";
import { outcomeWords } from "../words/outcomeWords.ts";

export interface FilterChoice {
  readonly group: "Tag" | "Script" | "Target" | "Outcome";
  readonly label: string;
  /** How many of the runs fit. */
  readonly count: number;
  readonly filter: Filter;
}

/** Of each kind what some run has, the most frequent first; nothing that all runs have in common. */
export function filterChoices(entries: readonly RunListEntry[]): readonly FilterChoice[] {
  const runs = entries.flatMap((entry) => (entry.kind === "run" ? [entry.run] : []));
  const choices = (
    group: FilterChoice["group"],
    valuesOf: (run: RunSummary) => readonly (string | undefined)[],
    label: (value: string) => string,
    filter: (value: string) => Filter,
  ): FilterChoice[] => {
    const counts = new Map<string, number>();
    for (const value of runs.flatMap((run) => [...new Set(valuesOf(run))])) {
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts]
      .filter(([, count]) => count < runs.length)
      .sort(([, a], [, b]) => b - a)
      .map(([value, count]) => ({ group, label: label(value), count, filter: filter(value) }));
  };
  const outcomes = OUTCOMES.flatMap((outcome): FilterChoice[] => {
    const count = runs.filter((run) => outcomeOf(run) === outcome).length;
    const telling = count > 0 && count < runs.length;
    return telling ? [{ group: "Outcome", label: outcomeWords(outcome), count, filter: { outcome } }] : [];
  });
  return [
    ...choices(
      "Tag",
      ({ label }) => label.tags,
      (tag) => `#${tag}`,
      (tag) => ({ tag }),
    ),
    ...choices(
      "Script",
      ({ script }) => [script],
      (script) => script,
      (script) => ({ script }),
    ),
    ...choices(
      "Target",
      ({ target }) => [target],
      (target) => target,
      (target) => ({ target }),
    ),
    ...outcomes,
  ];
}
