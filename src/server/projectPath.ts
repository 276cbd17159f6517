/** Between a document's URI and the path a run knows a file by. Pure, so that Windows paths are tested anywhere. */
import * as path from "node:path";

/** The file system path of a `file:` URI as VS Code writes it; undefined for any other. */
export function uriToPath(uri: string, platform: NodeJS.Platform): string | undefined {
  let url: URL;
  let decoded: string;
  try {
    url = new URL(uri);
    decoded = decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
  if (url.protocol !== "file:" || decoded.includes("\0")) return undefined;
  if (platform !== "win32") return url.host === "" ? decoded : undefined;
  const native = decoded.replaceAll("/", "\\");
  if (url.host !== "") return `\\\\${url.host}${native}`;
  return /^\\[A-Za-z]:\\/.test(native) ? native.slice(1) : undefined;
}

/** The path relative to the project with `/`; undefined for a file outside it. */
export function projectPath(file: string, project: string, platform: NodeJS.Platform): string | undefined {
  const rules = platform === "win32" ? path.win32 : path.posix;
  const relative = rules.relative(project, file);
  if (relative === "" || rules.isAbsolute(relative)) return undefined;
  const parts = relative.split(rules.sep);
  return parts[0] === ".." ? undefined : parts.join("/");
}

/** Where a run's file lies at home; undefined where its name would lead elsewhere on this platform. */
export function fileInProject(relative: string, project: string, platform: NodeJS.Platform): string | undefined {
  const rules = platform === "win32" ? path.win32 : path.posix;
  const file = rules.join(project, relative);
  return projectPath(file, project, platform) === relative ? file : undefined;
}

/** Windows and macOS take `Train.py` and `train.py` for one file. */
export function samePath(a: string, b: string, platform: NodeJS.Platform): boolean {
  return a === b || ((platform === "win32" || platform === "darwin") && a.toLowerCase() === b.toLowerCase());
}
