/** A folder with those above it. */
import * as fs from "node:fs/promises";
import * as path from "node:path";

/**
 * Node's own `mkdir` with `recursive` does not come back where the system says of a folder that is there that it is
 * not, as below /proc.
 * @param folder absolute
 * @returns false where it was there
 * @throws what the system says
 */
export async function makeFolder(folder: string): Promise<boolean> {
  const above = path.dirname(folder);
  if (await isFolder(folder)) return false;
  if (above !== folder) await makeFolder(above);
  try {
    await fs.mkdir(folder);
  } catch (error) {
    // Another may have made it meanwhile.
    if (!(await isFolder(folder))) throw error;
    return false;
  }
  return true;
}

async function isFolder(place: string): Promise<boolean> {
  const stat = await fs.stat(place).catch(() => undefined);
  return stat?.isDirectory() === true;
}
