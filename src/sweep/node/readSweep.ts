/** A sweep from the runs of its group and the plan beside them. */
import * as path from "node:path";
import { defined } from "../../profile/defined.ts";
import { UserError } from "../../profile/userError.ts";
import { mapBounded } from "../../runs/concurrency.ts";
import { readKeeping } from "../../runs/keeping.ts";
import { readSummary } from "../../runs/list/readSummary.ts";
import { createRunList } from "../../runs/list/runList.ts";
import type { RunGroup, RunListEntry } from "../../runs/model.ts";
import { t } from "../../words/t.ts";
import { commandTitle, type FoundSweep } from "../command.ts";
import { boardParameter } from "../grid.ts";
import { sweepOf } from "../sweepOf.ts";
import { readPlan } from "./planFile.ts";
import { readSweepRun } from "./readRun.ts";

const AT_ONCE = 4;

/**
 * @param runsFolders where the runs are looked for; the first that has the plan or a run counts
 * @param read who reads often remembers what was read
 * @throws UserError `no-such-sweep` besides what reading runs throws
 */
export async function readSweep(
  runsFolders: readonly string[],
  id: string,
  read: typeof readSweepRun = readSweepRun,
): Promise<FoundSweep> {
  for (const runsFolder of runsFolders) {
    const [plan, members] = await Promise.all([readPlan(runsFolder, id), membersOf(runsFolder, id)]);
    if (plan === undefined && members.length === 0) continue;
    const runs = await mapBounded(members, AT_ONCE, ({ folder, values }) => read(folder, values));
    const title = plan === undefined ? (members[0]?.program ?? id) : commandTitle(plan.command);
    const board = plan && boardParameter(plan.parameters);
    const sweep = sweepOf({ id, title, ...defined({ plan, board }), runs });
    return { runsFolder, ...defined({ plan }), runs, sweep };
  }
  throw new UserError(
    "no-such-sweep",
    t("There are no runs of the sweep {0}.", id),
    t("They may have been deleted. The Memory Runs view and jetson-memprof runs list what there is."),
  );
}

async function membersOf(runsFolder: string, id: string) {
  return (await sweepRuns(runsFolder))
    .filter(({ group }) => group.id === id)
    .map(({ folder, group, program }) => ({ folder, values: group.values, program }))
    .sort((a, b) => (path.basename(a.folder) < path.basename(b.folder) ? -1 : 1));
}

export interface Member {
  readonly folder: string;
  readonly group: Extract<RunGroup, { kind: "sweep" }>;
  /** What ran, with its arguments; absent until the run's record is home. */
  readonly program?: string;
}

/** Newest first; those that were begun and of which nothing came home yet, too. */
export async function sweepRuns(runsFolder: string): Promise<Member[]> {
  const entries = await createRunList().runs([runsFolder]);
  return (await mapBounded(entries, AT_ONCE, memberOf)).flat();
}

async function memberOf(entry: RunListEntry): Promise<Member[]> {
  if (entry.kind === "run") {
    const { folder, group, title } = entry.run;
    return group?.kind === "sweep" ? [{ folder, group, program: title }] : [];
  }
  const { group } = await readKeeping(entry.folder);
  return group?.kind === "sweep" && isBegun(entry.folder) ? [{ folder: entry.folder, group }] : [];
}

/** No record is home, or it came since the runs were listed; one that is damaged tells nothing. */
function isBegun(folder: string): boolean {
  try {
    readSummary(folder);
    return true;
  } catch (error) {
    return error instanceof UserError && error.code === "not-a-run";
  }
}
