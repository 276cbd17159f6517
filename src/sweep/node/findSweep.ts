/** Which sweep is meant by what was typed. */
import * as path from "node:path";
import { newestFirst } from "../../profile/run/runNames.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { listPlans } from "./planFile.ts";
import { sweepRuns } from "./readSweep.ts";

/**
 * @param text a group's id or its beginning, the folder or name of one of its runs, or `last`
 * @returns the group's id
 * @throws UserError `no-such-sweep`
 */
export async function findSweep(runsFolder: string, text: string): Promise<string> {
  const [plans, runs] = await Promise.all([listPlans(runsFolder), sweepRuns(runsFolder)]);
  const groups = [...new Set([...plans, ...runs.map(({ group }) => group.id)])].sort(newestFirst());
  const run = runs.find(({ folder }) => folder === path.resolve(text) || path.basename(folder) === text);
  const exact = run?.group.id ?? groups.find((id) => id === text) ?? (text === "last" ? groups[0] : undefined);
  if (exact !== undefined) return exact;
  const [only, ...more] = text === "last" ? [] : groups.filter((id) => id.startsWith(text));
  if (only !== undefined && more.length === 0) return only;
  throw new UserError(
    "no-such-sweep",
    only === undefined
      ? t('There is no sweep "{0}" in {1}.', text, runsFolder)
      : t('"{0}" is the beginning of {1} sweeps: {2}.', text, more.length + 1, [only, ...more].join(", ")),
    groups.length === 0
      ? t("Make one with --grid, or say where the project is with --project FOLDER.")
      : t("Available: {0}{1}.", groups.slice(0, 5).join(", "), groups.length > 5 ? ", …" : ""),
  );
}
