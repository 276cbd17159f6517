import { ranksOf } from "../../profile/ranks/ranks.ts";
import type { RunReader } from "../../profile/run/runFolder.ts";
import { readKeeping } from "../../runs/keeping.ts";
import { summarise } from "../../runs/list/summary.ts";
import type { RunSummary } from "../../runs/model.ts";
import { headOf } from "./runStore.ts";

/** What the editor is told of a run that has been read. */
export async function summaryOf(folder: string, reader: RunReader): Promise<RunSummary> {
  const ranks = ranksOf(reader.profile().run);
  const summary = summarise(folder, headOf(reader), await readKeeping(folder));
  return { ...summary, knownMs: reader.knownMs(), ...(ranks.length > 0 && { ranks }) };
}
