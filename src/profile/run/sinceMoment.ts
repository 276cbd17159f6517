/** A run's figures since a moment of it: for scripts that never end, and for what one part of a run took. */
import * as path from "node:path";
import { t } from "../../words/t.ts";
import { appended } from "../files/fileReading.ts";
import { LIMITS } from "../limits.ts";
import { createLineTable } from "../lines/lineTable.ts";
import { since } from "../lines/since.ts";
import type { Profile } from "../model.ts";
import { createTurns } from "../turns.ts";
import { UserError } from "../userError.ts";
import type { RunReader } from "./runFolder.ts";

/**
 * The line table is written as it grows, so that what it was at a moment can be read again.
 *
 * @param ms since the run began; figures are as they were written last before it (docs/ranks.md)
 * @returns reads the run's figures since then as `reader` has them now, again and again while it goes on.
 *   It throws UserError `no-moments`, `schema-too-new`, `run-damaged`
 */
export function profileSince(reader: RunReader, ms: number): () => Promise<Profile> {
  const file = path.join(reader.folder, "lines.jsonl");
  let table = createLineTable(file, LIMITS, ms);
  let hasRows = false;
  const lines = appended(file, {
    restart: () => {
      table = createLineTable(file, LIMITS, ms);
      hasRows = false;
    },
    line: (line) => {
      hasRows ||= line.includes('"rows"');
      table.add(line);
    },
  });
  const read = async (): Promise<Profile> => {
    const now = reader.profile();
    await lines.read();
    if (now.run.imported !== undefined || (!hasRows && now.run.state !== "running")) throw noMoments();
    const then = await table.state();
    return {
      ...now,
      since: ms,
      files: since(now.files, then.files),
      byProcess: new Map([...now.byProcess].map(([pid, files]) => [pid, since(files, then.tables.get(pid) ?? [])])),
      phases: now.phases.filter(({ t }) => t > ms),
      ...(now.loads !== undefined && { loads: [] }),
    };
  };
  // Two readings at once would read the same bytes twice.
  const inTurn = createTurns();
  return () => inTurn(read);
}

function noMoments(): UserError {
  return new UserError(
    "no-moments",
    t("When the lines of this run took what is not known, only what they took in all."),
    t("Show its lines from the beginning."),
  );
}
