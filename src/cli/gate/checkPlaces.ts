/** Where a project lies in its repository: CI systems name files from the repository's root. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { relativePath } from "../../profile/files/relativePath.ts";

/** What the CI systems call the folder that they checked out. */
const CHECKED_OUT = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"] as const;

/**
 * @param project absolute
 * @returns with `/`; empty where the project is the repository, or lies in none
 */
export async function folderInRepository(project: string, env: NodeJS.ProcessEnv): Promise<string> {
  const real = await fs.realpath(project).catch(() => project);
  const root = (await workTreeOf(real)) ?? (await checkedOut(env)) ?? real;
  return relativePath(root, real) ?? "";
}

async function workTreeOf(folder: string): Promise<string | undefined> {
  // In a linked work tree and in a submodule `.git` is a file.
  const found = await fs.stat(path.join(folder, ".git")).catch(() => undefined);
  if (found !== undefined) return folder;
  const above = path.dirname(folder);
  return above === folder ? undefined : await workTreeOf(above);
}

async function checkedOut(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folder = CHECKED_OUT.map((name) => env[name]).find((value) => value !== undefined && value !== "");
  return folder === undefined ? undefined : await fs.realpath(folder).catch(() => undefined);
}
