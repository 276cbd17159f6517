/** A run's figures since a moment of it: for scripts that never end, and for what one part of a run took. */
import * as path from "node:path";
import { t } from "../../words/t.ts";
import { appended } from "../files/fileReading.ts";
import { LIMITS } from "../limits.ts";
import { createLineTable } from "../lines/lineTable.ts";
import { since } from "../lines/since.ts";
import type { Profile } from "../model.ts";
import { UserError } from "../userError.ts";
import type { RunReader } from "./runFolder.ts";

/**
 * The line table is written as it grows, so that what it was at a moment can be read again.
 *
 * @param reader of the run, refreshed
 * @param ms since the run began; figures are as they were written last before it (docs/ranks.md)
 * @throws UserError `no-moments`, and as RunReader.refresh
 */
export async function profileSince(reader: RunReader, ms: number): Promise<Profile> {
  const now = reader.profile();
  const file = path.join(reader.folder, "lines.jsonl");
  let table = createLineTable(file, LIMITS, ms);
  let hasRows = false;
  const lines = appended(file, {
    restart: () => {
      table = createLineTable(file, LIMITS, ms);
    },
    line: (line) => {
      hasRows ||= line.includes('"rows"');
      table.add(line);
    },
  });
  await lines.read();
  if (now.run.imported !== undefined || !hasRows) {
    throw new UserError(
      "no-moments",
      t("When the lines of this run took what is not known, only what they took in all."),
      t("Leave out --since."),
    );
  }
  const then = await table.state();
  return {
    ...now,
    files: since(now.files, then.files),
    byProcess: new Map([...now.byProcess].map(([pid, files]) => [pid, since(files, then.tables.get(pid) ?? [])])),
    phases: now.phases.filter(({ t }) => t > ms),
    ...(now.loads !== undefined && { loads: [] }),
  };
}
