/** The files of a project folder that belong on the board. */
import { type Dirent, lstatSync } from "node:fs";
import { readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { relativePath } from "../../profile/files/relativePath.ts";
import { UserError } from "../../profile/userError.ts";
import type { StayReason } from "../../protocol/run/leaving.ts";
import { t } from "../../words/t.ts";
import { isEnvironment, isNeverSent } from "./leftOut.ts";
import { projectRules, type Rules, type Verdict } from "./rules.ts";

export interface ProjectFile {
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  /** The path that it is read from here: another one where a link leads there. No part of it is a link. */
  readonly from: string;
  readonly size: number;
  /** Whole milliseconds since 1970. */
  readonly mtimeMs: number;
  readonly executable: boolean;
  /** Tells it from another file that takes its place. */
  readonly identity: string;
}

export interface Walk {
  /** Sorted by path. */
  readonly files: readonly ProjectFile[];
  /** What stays here and why, sorted by path; a folder, whose path ends with `/`, stands for all that is in it. */
  readonly stays: ReadonlyMap<StayReason, readonly string[]>;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

const MAX_FILES = 200_000;
const MAX_WARNINGS = 20;
const CREDENTIALS_STAY = "credentials-not-sent";
/** Credentials that are named. */
const MAX_NAMED = 5;
/** Milliseconds until others in this process have their turn: on a slow disk each file is waited for. */
const TURN = 8;

interface Link {
  readonly path: string;
  readonly rules: Rules;
}

interface WalkState {
  readonly root: string;
  readonly realRoot: string;
  readonly signal: AbortSignal;
  readonly files: ProjectFile[];
  readonly folders: Set<string>;
  readonly links: Link[];
  readonly stays: Map<StayReason, string[]>;
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
    folders: new Set(),
    links: [],
    stays: new Map(),
    warn(code, message) {
      if (warnings.length < MAX_WARNINGS) warnings.push({ code, message });
      else unsaid++;
    },
  };
  await walkFolder(state, "", projectRules(excludes));
  state.files.sort(byPath);
  await followLinks(state);
  if (unsaid > 0) warnings.push({ code: "more-skipped", message: t("{0} more files were not sent.", unsaid) });
  for (const paths of state.stays.values()) paths.sort();
  const credentials = state.stays.get("credential");
  if (credentials !== undefined) warnings.push(aboutCredentials(credentials));
  state.files.sort(byPath);
  return { files: state.files, stays: state.stays, warnings };
}

function byPath(a: ProjectFile, b: ProjectFile): number {
  return a.path < b.path ? -1 : 1;
}

/** What cannot be sent, in sentences; credentials are among what stays. */
export function notesOf({ warnings }: Pick<Walk, "warnings">): readonly string[] {
  return warnings.flatMap(({ code, message }) => (code === CREDENTIALS_STAY ? [] : [message]));
}

function aboutCredentials(paths: readonly string[]): { readonly code: string; readonly message: string } {
  const named = paths.slice(0, MAX_NAMED);
  const more = paths.length - named.length;
  const names = [...named, ...(more > 0 ? [t("{0} more", more)] : [])].join(t(", "));
  return {
    code: CREDENTIALS_STAY,
    message: t(
      "Not sent, as such files hold credentials: {0}. Where the script needs one, name it in the setting jetsonMemprof.exclude (in a terminal: --exclude) with an exclamation mark: !{1}",
      names,
      named[0] ?? "",
    ),
  };
}

async function walkFolder(state: WalkState, base: string, above: Rules): Promise<void> {
  state.signal.throwIfAborted();
  const entries = await entriesOf(state, base);
  const names = new Set(entries.map((entry) => String(entry.name)));
  if (base !== "" && isEnvironment(names)) return stay(state, base, "never");
  state.folders.add(base);
  const rules = above.below(base, {
    jetsonignore: await ownRules(state, `${base}.jetsonignore`, names),
    gitignore: await ownRules(state, `${base}.gitignore`, names),
  });
  let began = performance.now();
  for (const entry of entries) {
    if (performance.now() - began > TURN) {
      await breathe();
      began = performance.now();
    }
    await visit(state, entry, base, rules);
  }
}

async function entriesOf(state: WalkState, base: string): Promise<readonly Dirent<Buffer>[]> {
  try {
    const options = { withFileTypes: true, encoding: "buffer" as BufferEncoding } as const;
    return (await readdir(join(state.root, base), options)) as unknown as Dirent<Buffer>[];
  } catch (error) {
    const code = codeOf(error);
    state.warn(
      "unreadable",
      base === "" ? t("The project folder cannot be read ({0}).", code) : t("{0} cannot be read ({1}).", base, code),
    );
    return [];
  }
}

async function ownRules(state: WalkState, path: string, names: ReadonlySet<string>): Promise<string | undefined> {
  if (!names.has(path.slice(path.lastIndexOf("/") + 1))) return undefined;
  try {
    return await readFile(join(state.root, path), "utf8");
  } catch (error) {
    state.warn("unreadable", t("{0} cannot be read ({1}).", path, codeOf(error)));
    return undefined;
  }
}

async function visit(state: WalkState, entry: Dirent<Buffer>, base: string, rules: Rules): Promise<void> {
  const name = entry.name.toString("utf8");
  const path = `${base}${name}`;
  const isFolder = entry.isDirectory();
  if (isNeverSent(name)) return stay(state, isFolder ? `${path}/` : path, "never");
  if (!Buffer.from(name, "utf8").equals(entry.name)) {
    state.warn(
      "name-not-utf8",
      t("{0} was not sent: its name is not valid UTF-8. Rename it to have it on the board.", path),
    );
    return;
  }
  if (!isFolder && !entry.isFile() && !entry.isSymbolicLink()) return;
  const whole = isFolder ? `${path}/` : path;
  const verdict = rules.verdict(whole);
  if (isKept(state, whole, verdict)) return;
  if (isFolder) return walkFolder(state, `${path}/`, verdict === "asked-for" ? rules.trusting() : rules);
  if (entry.isSymbolicLink()) return void state.links.push({ path, rules });
  addFile(state, path);
}

function isKept(state: WalkState, path: string, verdict: Verdict): boolean {
  if (verdict === "sent" || verdict === "asked-for") return false;
  stay(state, path, verdict);
  return true;
}

function stay({ stays }: WalkState, path: string, why: StayReason): void {
  const paths = stays.get(why) ?? [];
  paths.push(path);
  stays.set(why, paths);
}

function addFile(state: WalkState, path: string): void {
  try {
    // Waiting for each of 10,000 answers takes ten times longer than the answers.
    const found = lstatSync(join(state.root, path));
    if (!found.isFile()) return;
    add(state, {
      path,
      from: path,
      size: found.size,
      mtimeMs: Math.floor(found.mtimeMs),
      executable: (found.mode & 0o100) !== 0,
      identity: identityOf(found),
    });
  } catch (error) {
    if (error instanceof UserError) throw error;
    state.warn("unreadable", t("{0} was not sent: it cannot be read ({1}).", path, codeOf(error)));
  }
}

function add(state: WalkState, file: ProjectFile): void {
  if (state.files.length >= MAX_FILES) {
    throw new UserError(
      "too-many-files",
      t("The project folder {0} has more than {1} files to send.", state.root, MAX_FILES),
      t("Exclude folders of data with the setting jetsonMemprof.exclude or with .gitignore."),
    );
  }
  state.files.push(file);
}

/**
 * A link is sent as what it leads to where that is sent too: nothing leaves by another name. One that leads out of the
 * project is not followed.
 */
async function followLinks(state: WalkState): Promise<void> {
  const found = [...state.files];
  const links = [...state.links].sort((a, b) => (a.path < b.path ? -1 : 1));
  const files = new Map(found.map((file) => [file.path, file]));
  const below = (folder: string, path: string, rules: Rules, around: readonly string[]): Promise<void> => {
    for (const file of startingWith(found, folder)) {
      const at = `${path}/${file.path.slice(folder.length)}`;
      if (!isKept(state, at, rules.verdict(at))) add(state, { ...file, path: at });
    }
    return each(
      startingWith(links, folder).map((link) => ({ path: `${path}/${link.path.slice(folder.length)}`, rules })),
      [...around, folder],
    );
  };
  const each = async (some: readonly Link[], around: readonly string[]): Promise<void> => {
    for (const { path, rules } of some) {
      state.signal.throwIfAborted();
      const place = await target(state, path);
      if (place === undefined) continue;
      const file = files.get(place);
      const folder = place === "" ? "" : `${place}/`;
      if (file !== undefined) add(state, { ...file, path });
      else if (!state.folders.has(folder))
        state.warn("link-left-out", t("{0} was not sent: it is a link to {1}, which is not sent.", path, place));
      else if (isCircle(folder, path, around))
        state.warn("link-circle", t("{0} was not sent: the link leads back to a folder it is in.", path));
      else await below(folder, path, rules, around);
    }
  };
  await each(links, []);
}

function isCircle(folder: string, path: string, around: readonly string[]): boolean {
  return around.includes(folder) || path.startsWith(folder);
}

/** Where in the project a link leads; undefined, with a warning, where that is nowhere in it. */
async function target(state: WalkState, path: string): Promise<string | undefined> {
  try {
    const inside = relativePath(state.realRoot, await realpath(join(state.root, path)));
    if (inside === undefined)
      state.warn("link-outside", t("{0} was not sent: it is a link that leads out of the project folder.", path));
    return inside;
  } catch (error) {
    state.warn("link-broken", t("{0} was not sent: the link leads nowhere ({1}).", path, codeOf(error)));
    return undefined;
  }
}

/** Those of a list sorted by path that lie in a folder. */
function startingWith<T extends { readonly path: string }>(sorted: readonly T[], folder: string): readonly T[] {
  const from = firstNot(sorted, (path) => path < folder);
  return sorted.slice(
    from,
    firstNot(sorted, (path) => path < folder || path.startsWith(folder)),
  );
}

function firstNot<T extends { readonly path: string }>(
  sorted: readonly T[],
  before: (path: string) => boolean,
): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(sorted[middle]?.path ?? "")) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function identityOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}
