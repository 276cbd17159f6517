/** Places on this computer's disk. */
import * as path from "node:path";

/** Both absolute. */
export function isBelow(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== "" && !path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..";
}
