/** One side of a comparison, from its run folders. */

import { runTitle } from "../../profile/run/runJson.ts";
import { UserError } from "../../profile/userError.ts";
import { readKeeping } from "../../runs/keeping.ts";
import { t } from "../../words/t.ts";
import type { SourceFile } from "../matching/sourceMatch.ts";
import type { LoadedSide } from "../side.ts";
import { loadRun, type OpenedRun } from "./loadRun.ts";

/** Of one side. Each takes some MB while they are compared. */
export const MOST_REPEATS = 100;

/**
 * @param folders run folders; several are repeats of the same run
 * @throws UserError `no-runs`, `too-many-runs`, `not-a-run`, `run-damaged`, `schema-too-new`, `run-unreadable`
 */
export async function loadSide(folders: readonly string[]): Promise<LoadedSide> {
  if (folders.length > MOST_REPEATS) {
    throw new UserError(
      "too-many-runs",
      t("{0} runs are too many for one side; at most {1} repeats are compared.", folders.length, MOST_REPEATS),
      t("Name fewer of them."),
    );
  }
  const opened: OpenedRun[] = [];
  // One after the other: the tables of all at once would need several times the memory.
  for (const folder of new Set(folders)) opened.push(await loadRun(folder));
  const [first] = opened;
  if (first === undefined)
    throw new UserError("no-runs", t("No run was named."), t("Name at least one run of each side."));
  return {
    folders: opened.map(({ loaded }) => loaded.folder),
    title: await titleOf(first, opened.length),
    runs: opened.map(({ loaded }) => loaded),
    sources: await sourcesOf(opened),
  };
}

async function sourcesOf(opened: readonly OpenedRun[]): Promise<SourceFile[]> {
  const reading = new Map<string, Promise<SourceFile>>();
  for (const { loaded, source } of opened) {
    for (const path of loaded.files.keys()) if (!reading.has(path)) reading.set(path, source(path));
  }
  return await Promise.all(reading.values());
}

/** As its user called the run, or the script with its arguments; when it began; how many there are. */
async function titleOf({ loaded: { folder, run } }: OpenedRun, count: number): Promise<string> {
  const { label } = await readKeeping(folder);
  const started = run.started?.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, "$1 $2 UTC");
  const repeats = count === 1 ? undefined : t("{0} runs", count);
  return [label.name ?? runTitle(run), started, repeats].filter((part) => part !== undefined).join(" · ");
}
