/** The files of a project folder that belong on the board. */
import { type Dirent, lstatSync, type Stats } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import ignore, { type Ignore } from "ignore";
import { relativePath } from "../../profile/relativePath.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";

export interface ProjectFile {
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  readonly size: number;
  /** Whole milliseconds since 1970. */
  readonly mtimeMs: number;
  readonly executable: boolean;
}

export interface Walk {
  /** Sorted by path. */
  readonly files: readonly ProjectFile[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** Never sent, whatever the project's own files say. */
const NEVER = new Set([
  ".git",
  ".jetson-memprof",
  "__pycache__",
  "node_modules",
  ".venv",
  "venv",
  ".ipynb_checkpoints",
]);
const MAX_FILES = 200_000;
const MAX_WARNINGS = 20;
/** Milliseconds until others in this process have their turn: on a slow disk each file is waited for. */
const TURN = 8;

interface IgnoreRules {
  /** Path of the folder the rules stand in, `""` or ending with `/`. */
  readonly base: string;
  readonly rules: Ignore;
}

interface WalkState {
  readonly root: string;
  readonly realRoot: string;
  readonly signal: AbortSignal;
  readonly files: ProjectFile[];
  warn(code: string, message: string): void;
}

/** `excludes` are gitignore patterns that come before the project's own. Rejects with `signal.reason` when aborted. */
export async function walkProject(root: string, excludes: readonly string[], signal: AbortSignal): Promise<Walk> {
  const warnings: { code: string; message: string }[] = [];
  let unsaid = 0;
  const realRoot = await realpath(root).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(
      "project-unreadable",
      t("The project folder {0} cannot be read ({1}).", root, error.code ?? error.message),
      t("Open a folder that exists and that you may read."),
      { cause: error },
    );
  });
  const state: WalkState = {
    root,
    realRoot,
    signal,
    files: [],
    warn(code, message) {
      if (warnings.length < MAX_WARNINGS) warnings.push({ code, message });
      else unsaid++;
    },
  };
  const extra: IgnoreRules = { base: "", rules: newRules(excludes.join("\n")) };
  await walkFolder(state, "", [extra], [realRoot]);
  if (unsaid > 0) warnings.push({ code: "more-skipped", message: t("{0} more files were not sent.", unsaid) });
  state.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files: state.files, warnings };
}

function newRules(text: string): Ignore {
  return ignore({ ignorecase: false, allowRelativePaths: true }).add(text);
}

/** `rules` in falling precedence; `ancestors` are the real folders above, against links in a circle. */
async function walkFolder(
  state: WalkState,
  base: string,
  rules: readonly IgnoreRules[],
  ancestors: readonly string[],
): Promise<void> {
  state.signal.throwIfAborted();
  const folder = join(state.root, base);
  let entries: Dirent<Buffer>[];
  try {
    entries = (await readdir(folder, {
      withFileTypes: true,
      encoding: "buffer" as BufferEncoding,
    })) as unknown as Dirent<Buffer>[];
  } catch (error) {
    const code = codeOf(error);
    state.warn(
      "unreadable",
      base === "" ? t("The project folder cannot be read ({0}).", code) : t("{0} cannot be read ({1}).", base, code),
    );
    return;
  }
  const inner = [...rules];
  const own = entries.some((entry) => String(entry.name) === ".gitignore")
    ? await ownRules(folder, base, state)
    : undefined;
  // Below the user's excludes, above what the folders further up say.
  if (own !== undefined) inner.splice(1, 0, own);
  let began = performance.now();
  for (const entry of entries) {
    if (performance.now() - began > TURN) {
      await breathe();
      began = performance.now();
    }
    await visit(state, entry, base, inner, ancestors);
  }
}

async function ownRules(folder: string, base: string, state: WalkState): Promise<IgnoreRules | undefined> {
  try {
    return { base, rules: newRules(await readFile(join(folder, ".gitignore"), "utf8")) };
  } catch (error) {
    state.warn("unreadable", t("{0} cannot be read ({1}).", `${base}.gitignore`, codeOf(error)));
    return undefined;
  }
}

async function visit(
  state: WalkState,
  entry: Dirent<Buffer>,
  base: string,
  rules: readonly IgnoreRules[],
  ancestors: readonly string[],
): Promise<void> {
  const name = entry.name.toString("utf8");
  const path = `${base}${name}`;
  if (NEVER.has(name) || name.endsWith(".pyc")) return;
  if (!Buffer.from(name, "utf8").equals(entry.name)) {
    state.warn(
      "name-not-utf8",
      t("{0} was not sent: its name is not valid UTF-8. Rename it to have it on the board.", path),
    );
    return;
  }
  if (entry.isSymbolicLink()) return visitLink(state, path, rules, ancestors);
  if (entry.isDirectory()) {
    if (!isIgnored(`${path}/`, rules))
      await walkFolder(state, `${path}/`, rules, [...ancestors, join(ancestors.at(-1) ?? "", name)]);
    return;
  }
  if (!entry.isFile() || isIgnored(path, rules)) return;
  try {
    // Waiting for each of 10,000 answers takes ten times longer than the answers.
    addFile(state, path, lstatSync(join(state.root, path)));
  } catch (error) {
    if (error instanceof UserError) throw error;
    state.warn("unreadable", t("{0} was not sent: it cannot be read ({1}).", path, codeOf(error)));
  }
}

/** A link inside the project is sent as what it points to; one that leads out of it is not followed. */
async function visitLink(
  state: WalkState,
  path: string,
  rules: readonly IgnoreRules[],
  ancestors: readonly string[],
): Promise<void> {
  if (isIgnored(path, rules)) return;
  const full = join(state.root, path);
  let real: string;
  let found: Stats;
  try {
    real = await realpath(full);
    found = await stat(full);
  } catch (error) {
    state.warn("link-broken", t("{0} was not sent: the link leads nowhere ({1}).", path, codeOf(error)));
    return;
  }
  if (relativePath(state.realRoot, real) === undefined) {
    state.warn("link-outside", t("{0} was not sent: it is a link that leads out of the project folder.", path));
    return;
  }
  if (found.isFile()) addFile(state, path, found);
  if (!found.isDirectory() || isIgnored(`${path}/`, rules)) return;
  if (ancestors.includes(real)) {
    state.warn("link-circle", t("{0} was not sent: the link leads back to a folder it is in.", path));
    return;
  }
  await walkFolder(state, `${path}/`, rules, [...ancestors, real]);
}

function addFile(state: WalkState, path: string, found: Stats): void {
  if (state.files.length >= MAX_FILES) {
    throw new UserError(
      "too-many-files",
      t("The project folder {0} has more than {1} files to send.", state.root, MAX_FILES),
      t("Exclude folders of data with the setting jetsonMemprof.exclude or with .gitignore."),
    );
  }
  state.files.push({
    path,
    size: found.size,
    mtimeMs: Math.floor(found.mtimeMs),
    executable: (found.mode & 0o100) !== 0,
  });
}

/** The innermost rules that say anything decide, as in git. A folder ends with `/`. */
function isIgnored(path: string, rules: readonly IgnoreRules[]): boolean {
  for (const { base, rules: own } of rules) {
    const verdict = own.test(path.slice(base.length));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}
