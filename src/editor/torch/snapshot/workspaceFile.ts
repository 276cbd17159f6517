/** Which file of the workspace a path of a board or of another computer means. */
import * as path from "node:path";

/** Where packages are installed: a file of the workspace that happens to be called the same is not meant. */
const INSTALLED = /(?:^|\/)(?:site-packages|dist-packages|python\d[\d.]*)\//;
/** Longer paths are not looked for. */
const MOST_PARTS = 64;

export interface WorkspaceFile {
  readonly file: string;
  /** Nothing but the file's name was the same: it may be another file. */
  readonly byName: boolean;
}

/**
 * The file with the longest tail of the path, and of equals that of the first folder; undefined where there is none, and
 * for files of installed packages.
 * @param wanted with `/` or `\`, relative or absolute
 */
export async function workspaceFile(
  wanted: string,
  folders: readonly string[],
  isFile: (file: string) => Promise<boolean>,
): Promise<WorkspaceFile | undefined> {
  const clean = path.posix.normalize(wanted.replaceAll("\\", "/"));
  const parts = clean.split("/").filter((part) => part !== "" && part !== ".");
  if (INSTALLED.test(clean) || parts.includes("..") || parts.length > MOST_PARTS) return undefined;
  for (let from = 0; from < parts.length; from++) {
    for (const folder of folders) {
      const file = path.join(folder, ...parts.slice(from));
      if (!(await isFile(file))) continue;
      const isAll = from === 0 || file === path.normalize(wanted);
      return { file, byName: !isAll && from === parts.length - 1 };
    }
  }
  return undefined;
}
