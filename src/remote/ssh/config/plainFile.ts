/** Files of the SSH configuration, which somebody may have put a pipe in the place of. */
import { readFile, stat } from "node:fs/promises";
import { t } from "../../../words/t.ts";

/**
 * The file's bytes. A pipe or socket is not opened: it would be waited for, even after everything else has ended.
 * @throws NodeJS.ErrnoException, whose `code` says in words where it is a pipe or socket
 */
export async function readPlain(path: string): Promise<Buffer> {
  const found = await stat(path);
  if (!found.isFIFO() && !found.isSocket()) return await readFile(path);
  throw Object.assign(new Error(path), { code: t("a pipe, not a file") });
}
