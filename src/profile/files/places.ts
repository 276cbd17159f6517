/** Places on this computer's disk. */
import * as fs from "node:fs/promises";

export async function isKind(place: string, kind: "file" | "folder"): Promise<boolean> {
  const stat = await fs.stat(place).catch(() => undefined);
  return kind === "file" ? stat?.isFile() === true : stat?.isDirectory() === true;
}
