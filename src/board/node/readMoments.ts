/** A run folder's record of the board's memory. */
import * as path from "node:path";
import { appended } from "../../profile/files/fileReading.ts";
import { createMomentTable, type MomentTable } from "../moments/momentTable.ts";

/**
 * What there is of it now; undefined where nothing was recorded.
 * @throws UserError `schema-too-new`, `run-damaged`, `run-unreadable`
 */
export async function readMoments(runFolder: string): Promise<MomentTable | undefined> {
  const file = path.join(runFolder, "moments.jsonl");
  const table = createMomentTable(file);
  await appended(file, { restart: () => {}, line: (line) => table.add(line) }).read();
  return table.size === 0 ? undefined : table;
}
