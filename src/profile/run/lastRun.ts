/** What an earlier run of the same program says about the next one: which lines are heavy, how far it is. */
import { present } from "../files/jsonRecords.ts";
import type { Profile } from "../model.ts";
import { UserError } from "../userError.ts";
import { openRunFolder } from "./runFolder.ts";
import { readRunHead } from "./runHead.ts";
import { listRunFolders } from "./runsFolder.ts";

/** A script by its path in the project, or a module by its name. */
export type ProgramName = { readonly script: string } | { readonly module: string };

export interface LastRun {
  readonly profile: Profile;
  /** Highest RSS of the main process, bytes. */
  readonly rssPeak?: number;
}

/** The newest run of the program that the line engine measured and that has figures. Runs that cannot be read do not count. */
export async function lastLineRun(runsFolder: string, program: ProgramName): Promise<LastRun | undefined> {
  for (const folder of await listRunFolders(runsFolder)) {
    const found = await readWhereItFits(folder, program);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function readWhereItFits(folder: string, program: ProgramName): Promise<LastRun | undefined> {
  try {
    const { run } = await readRunHead(folder);
    const same = "script" in program ? run.command.script === program.script : run.command.module === program.module;
    if (!same || run.engine.name !== "line" || run.imported !== undefined) return undefined;
    const reader = openRunFolder(folder);
    await reader.refresh();
    const profile = reader.profile();
    if (!profile.files.some((file) => file.lines.length > 0)) return undefined;
    return present({ profile, rssPeak: reader.rssPeak() });
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Bytes, and lines executed: known only of a run that came to its own end. */
export interface Expectation {
  readonly rssPeak?: number;
  readonly hits?: number;
}

export function expectationOf({ profile, rssPeak }: LastRun): Expectation {
  const toTheEnd = profile.complete && profile.run.exit?.kind === "exited";
  const hits = profile.files.flatMap((file) => file.lines).reduce((sum, row) => sum + (row.hits ?? 0), 0);
  return present({ rssPeak, hits: toTheEnd ? hits : undefined });
}
