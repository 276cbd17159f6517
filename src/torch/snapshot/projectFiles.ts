/** Which files of a snapshot's stacks are the project's. They are named as on the machine that recorded it: with `/`. */

export interface ProjectFiles {
  /** Relative to the project; undefined for a file outside of it, and where the project's folder is not known. */
  inProject(file: string): string | undefined;
  /** As inProject, else the file's own path. */
  pathOf(file: string): string;
}

/** @param root the project's folder there */
export function createProjectFiles(root: string | undefined): ProjectFiles {
  const folder = root === undefined ? undefined : `${normal(root)}/`;
  function inProject(file: string): string | undefined {
    const path = normal(file);
    return folder !== undefined && path.startsWith(folder) && path.length > folder.length
      ? path.slice(folder.length)
      : undefined;
  }
  return { inProject, pathOf: (file) => inProject(file) ?? normal(file) };
}

/** A script that was started by a longer way has `..` in its frames. */
function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}
