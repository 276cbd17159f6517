/** Sweeps for the page that shows one while its runs are made. */
import type { FoundSweep } from "../../sweep/command.ts";
import type { SweepRun, Values } from "../../sweep/model.ts";
import { readSweepRun } from "../../sweep/node/readRun.ts";
import { readSweep } from "../../sweep/node/readSweep.ts";

export interface Sweeps {
  /** @throws UserError as readSweep */
  read(runsFolders: readonly string[], id: string): Promise<FoundSweep>;
  /** @throws UserError as reading a run throws */
  run(folder: string, values: Values): Promise<SweepRun>;
}

/** Runs of some sweeps; a page asks again for the same. */
const KEPT = 1_000;

/** What was read of a run that has ended is kept: it changes no more. */
export function createSweeps(): Sweeps {
  const ended = new Map<string, SweepRun>();
  async function run(folder: string, values: Values): Promise<SweepRun> {
    const known = ended.get(folder);
    if (known !== undefined) return { ...known, values };
    const read = await readSweepRun(folder, values);
    if (read.outcome !== "running") {
      if (ended.size >= KEPT) ended.clear();
      ended.set(folder, read);
    }
    return read;
  }
  return { run, read: (runsFolders, id) => readSweep(runsFolders, id, run) };
}
