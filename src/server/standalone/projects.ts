/** Which project a document belongs to: the nearest folder above it that has runs, else the workspace folder around it. */
import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import type { InitializeParams, WorkspaceFoldersChangeEvent } from "vscode-languageserver/node";
import { runsFolderOf } from "../../profile/run/runsFolder.ts";
import { projectPath, uriToPath } from "../projectPath.ts";

/** Absolute, of clients of every age; empty where a single file is edited. */
export function workspaceFolders({ workspaceFolders: folders, rootUri, rootPath }: InitializeParams): string[] {
  if (folders != null) return paths(folders);
  if (rootUri != null) return paths([{ uri: rootUri }]);
  return rootPath ? [path.resolve(rootPath)] : [];
}

export function changedFolders(before: readonly string[], { added, removed }: WorkspaceFoldersChangeEvent): string[] {
  const gone = paths(removed);
  return [...new Set([...before.filter((folder) => !gone.includes(folder)), ...paths(added)])];
}

/** Without the `/` at its end that some clients send; folders that are on no disk are left out. */
function paths(folders: readonly { readonly uri: string }[]): string[] {
  return folders.flatMap(({ uri }) => uriToPath(uri, process.platform) ?? []).map((folder) => path.resolve(folder));
}

/** @param folders the workspace's, absolute */
export async function projectOf(file: string, folders: readonly string[]): Promise<string | undefined> {
  const around = folders.filter((folder) => projectPath(file, folder, process.platform) !== undefined);
  const [innermost] = around.sort((a, b) => b.length - a.length);
  return (await nearestWithRuns(path.dirname(path.resolve(file)))) ?? innermost;
}

async function nearestWithRuns(folder: string): Promise<string | undefined> {
  // A board keeps the runs of all projects in the home folder: they are no project's.
  if (folder === os.homedir()) return undefined;
  const stat = await fs.stat(runsFolderOf(folder)).catch(() => undefined);
  if (stat?.isDirectory()) return folder;
  const above = path.dirname(folder);
  return above === folder ? undefined : await nearestWithRuns(above);
}
