/** Where a file lies in a folder, on any system: never by comparing texts, as case, separators and roots differ. */
import * as path from "node:path";

type PathSystem = Pick<path.PlatformPath, "isAbsolute" | "relative" | "sep">;

/**
 * A file's name in its folder as runs and boards write it.
 * @param folder absolute, as is `file`; on Windows case and the kind of separator do not count
 * @returns with `/` between the parts, empty for the folder itself, undefined for what lies outside of it
 */
export function relativePath(folder: string, file: string, system: PathSystem = path): string | undefined {
  const relative = system.relative(folder, file);
  // Of another drive there is no relative path.
  if (system.isAbsolute(relative)) return undefined;
  const parts = relative.split(system.sep);
  return parts[0] === ".." ? undefined : parts.join("/");
}

/** Whether a file or folder lies inside of a folder, and is not the folder itself; both absolute. */
export function isBelow(folder: string, file: string, system: PathSystem = path): boolean {
  return (relativePath(folder, file, system) ?? "") !== "";
}
