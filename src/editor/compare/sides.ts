/** What can be a side of a comparison: a run, or all repeats of one. Nothing of VS Code is needed for it. */

import { peakText } from "../../profile/run/runJson.ts";
import type { ComparedFolders } from "../../protocol/compare.ts";
import type { RunListEntry, RunSummary } from "../../protocol/server.ts";
import { startOf } from "../../runs/list/startOf.ts";
import { t } from "../../words/t.ts";
import { locale } from "../runs/words/when.ts";

export interface SideChoice {
  readonly folders: readonly string[];
  readonly name: string;
  readonly description: string;
  /** When its first run began; undefined where nobody knows. */
  readonly started: Date | undefined;
}

/** Groups of repeats first stand where their newest run is; each run can be chosen by itself too. */
export function sidesOf(entries: readonly RunListEntry[]): SideChoice[] {
  const runs = entries.flatMap((entry) => (entry.kind === "run" ? [entry.run] : []));
  const told = new Set<string>();
  return runs.flatMap((run) => {
    const { group } = run;
    if (group?.kind !== "repeat" || told.has(group.id)) return [sideOfRun(run)];
    told.add(group.id);
    const repeats = repeatsOf(runs, group.id);
    return repeats.length < 2 ? [sideOfRun(run)] : [sideOfRepeats(repeats), sideOfRun(run)];
  });
}

export function repeatsOf(runs: readonly RunSummary[], id: string): RunSummary[] {
  return runs
    .filter(({ group }) => group?.kind === "repeat" && group.id === id)
    .sort((a, b) => (a.group?.index ?? 0) - (b.group?.index ?? 0));
}

export const nameOf = ({ label, title }: Pick<RunSummary, "label" | "title">): string => label.name ?? title;

export function sideOfRun(run: RunSummary): SideChoice {
  const { folder, group, rssPeak } = run;
  const started = startOf(run, new Date());
  const peak = rssPeak === undefined ? undefined : peakText(run, rssPeak);
  return {
    folders: [folder],
    name: nameOf(run),
    started,
    description: descriptionOf(started, group && placeIn(group), peak),
  };
}

function placeIn({ kind, index, of }: NonNullable<RunSummary["group"]>): string {
  switch (kind) {
    case "repeat":
      return t("repeat {0} of {1}", index, of);
    case "sweep":
      return t("sweep {0} of {1}", index, of);
  }
}

export function sideOfRepeats(runs: readonly RunSummary[]): SideChoice {
  const [first] = runs;
  const started = first && startOf(first, new Date());
  return {
    folders: runs.map(({ folder }) => folder),
    name: t("{0}, all {1} repeats", first === undefined ? "" : nameOf(first), runs.length),
    started,
    description: descriptionOf(started, t("median and spread"), undefined),
  };
}

function descriptionOf(started: Date | undefined, more: string | undefined, peak: string | undefined): string {
  const when = started?.toLocaleString(locale());
  return [when, more, peak].filter((part) => part !== undefined).join(" · ");
}

/** The earlier is what was before, whichever was chosen first. */
export function inOrder(one: SideChoice, other: SideChoice): ComparedFolders {
  const [before, after] =
    (one.started?.getTime() ?? 0) <= (other.started?.getTime() ?? 0) ? [one, other] : [other, one];
  return { before: before.folders, after: after.folders };
}

/** Repeats of the same run have nothing to be compared with in each other but themselves. */
export function areDifferent({ before, after }: ComparedFolders): boolean {
  return !before.some((folder) => after.includes(folder));
}
