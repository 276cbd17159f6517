/** The git commit that a project's sources are at, and how they differ from it. */
import { execFile } from "node:child_process";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { UserError } from "../profile/userError.ts";
import { t } from "../words/t.ts";
import { writeGit } from "./keeping.ts";
import type { GitState } from "./model.ts";

const CHANGES = "changes.diff";
const MOST_DIFF = 4 * 1024 * 1024;
/** Bytes: lists of runs hold the names. */
const MOST_NAMES = 64 * 1024;
/** Milliseconds, for all of it. */
const TIME_LIMIT = 5_000;

export interface ReadGit {
  readonly state: GitState;
  /** Bytes as git gave them; empty where nothing differs. */
  readonly diff: Uint8Array;
}

/**
 * What is below the project folder, compared with HEAD. Files that git does not track are not in it.
 * @returns undefined where there is no git program, no repository, no commit yet, or where git takes too long
 */
export async function readGitState(projectFolder: string, timeLimit = TIME_LIMIT): Promise<ReadGit | undefined> {
  const deadline = Date.now() + timeLimit;
  try {
    const git = gitIn(projectFolder, deadline, await filtersOff(gitIn(projectFolder, deadline)));
    const commit = text(await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])).trim();
    // Nothing is printed, with status 1, where HEAD is no branch.
    const branch = await git(["symbolic-ref", "--quiet", "--short", "HEAD"]).then(
      (printed) => text(printed).trim(),
      () => "",
    );
    const names = await git([...DIFF, "--name-only", "-z", "HEAD", "--", ...OURS_LEFT_OUT], MOST_NAMES);
    const diff = await git([...DIFF, "--src-prefix=a/", "--dst-prefix=b/", "HEAD", "--", ...OURS_LEFT_OUT], MOST_DIFF);
    const state: GitState = {
      commit,
      ...(branch === "" ? {} : { branch }),
      // What follows the last NUL is nothing, or a name that was cut off.
      changed: text(names).split("\0").slice(0, -1),
      truncated: names.truncated || diff.truncated,
    };
    return { state, diff: diff.bytes };
  } catch {
    return undefined;
  }
}

/**
 * The file that has how a run's sources differed from their commit.
 * @throws UserError `no-changes` where it is missing, as beside a run that was imported
 */
export async function changesFile(runFolder: string): Promise<string> {
  const file = path.join(runFolder, CHANGES);
  const isThere = await fs.access(file).then(
    () => true,
    () => false,
  );
  if (isThere) return file;
  throw new UserError(
    "no-changes",
    t("How the files of this run differed from their commit is not kept beside it; which ones did is."),
    t("An exported run holds their names only: look at the run where it was made."),
  );
}

/** Never fails: a run is as good without it. */
export async function keepGitState(runFolder: string, reading: Promise<ReadGit | undefined>): Promise<void> {
  const read = await reading;
  if (read === undefined) return;
  try {
    if (read.diff.length > 0) await fs.writeFile(path.join(runFolder, CHANGES), read.diff);
    await writeGit(runFolder, read.state);
  } catch {
    // The run's folder is gone, or the disk is full, which the run itself will tell.
  }
}

/**
 * Settings that switch off the filters which the configuration has: git runs them on files that changed, and those of
 * a repository that came as an archive are somebody else's programs. A file that goes through one (Git LFS) counts as
 * changed as soon as it is written anew.
 */
async function filtersOff(git: Git): Promise<readonly string[]> {
  const wanted = "^filter\\..*\\.(clean|smudge|process|required)$";
  const { bytes, truncated } = await git(["config", "--null", "--name-only", "--get-regexp", wanted]).catch((error) => {
    const NONE = 1;
    if (error.code === NONE) return { bytes: new Uint8Array(), truncated: false };
    throw error;
  });
  const keys = text({ bytes, truncated })
    .split("\0")
    .filter((key) => key !== "");
  // git takes what follows the first equals sign as the value.
  if (truncated || keys.some((key) => key.includes("=")))
    throw new Error("there are filters that git cannot be told of");
  return [...new Set(keys)].map((key) => (key.endsWith(".required") ? `${key}=false` : `${key}=`));
}

/** A difference as git itself makes it: no program of the repository's or the user's takes part. */
const DIFF = [
  "diff",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--no-renames",
  "--ignore-submodules=all",
  "--relative",
];
const OURS_LEFT_OUT = [".", ":(exclude,top,glob)**/.jetson-memprof/**"];
const SETTINGS = [
  "core.quotePath=false",
  "core.fsmonitor=false",
  `core.hooksPath=${process.platform === "win32" ? "NUL" : "/dev/null"}`,
];

interface Printed {
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
}
type Git = (command: readonly string[], most?: number) => Promise<Printed>;

function gitIn(folder: string, deadline: number, more: readonly string[] = []): Git {
  const settings = [...SETTINGS, ...more].flatMap((setting) => ["-c", setting]);
  return (command, most = MOST_NAMES) =>
    new Promise((resolve, reject) => {
      const timeout = deadline - Date.now();
      if (timeout <= 0) return reject(new Error("git took too long"));
      const options = { env: environment(), timeout, killSignal: "SIGKILL", maxBuffer: most } as const;
      const all = ["--no-pager", ...settings, "-C", folder, ...command];
      execFile("git", all, { ...options, encoding: "buffer", windowsHide: true }, (error, bytes) => {
        const truncated = error !== null && "code" in error && error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
        if (error === null || truncated) resolve({ bytes, truncated });
        else reject(error);
      });
    });
}

/** Without what points git elsewhere, as in a hook; it asks nobody, writes nothing and fetches nothing. */
function environment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name));
  return {
    ...Object.fromEntries(inherited),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    LC_ALL: "C",
  };
}

function text({ bytes }: Printed): string {
  return new TextDecoder().decode(bytes);
}
