/** Files of the SSH configuration, which somebody may have put a pipe or a device in the place of. */
import { readFile, stat } from "node:fs/promises";
import { devNull } from "node:os";
import { t } from "../../../words/t.ts";

/**
 * The file's bytes; none of /dev/null, by which people say that they want no file. A pipe or socket is not opened: it
 * would be waited for, even after everything else has ended. Nor is a device: some have no end.
 * @throws NodeJS.ErrnoException, whose `code` says in words where it is one of them
 */
export async function readPlain(path: string): Promise<Buffer> {
  const found = await stat(path);
  if (found.isFIFO() || found.isSocket()) throw notRead(path, t("a pipe, not a file"));
  if (!found.isCharacterDevice() && !found.isBlockDevice()) return await readFile(path);
  if (found.isCharacterDevice() && found.rdev === (await stat(devNull)).rdev) return Buffer.alloc(0);
  throw notRead(path, t("a device, not a file"));
}

function notRead(path: string, code: string): Error {
  return Object.assign(new Error(path), { code });
}
