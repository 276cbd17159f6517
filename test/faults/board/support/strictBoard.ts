/** A board whose system refuses something: every command of the helper is started through programs that take it away. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { ProfileRequest, RunOutcome } from "../../../../src/protocol/run/run.ts";
import { profileRun } from "../../../../src/remote/run/profileRun.ts";
import { openLocal } from "../../../../src/remote/transport/local.ts";
import type { OpenTarget } from "../../../../src/remote/transport/openTarget.ts";
import { removeFolder } from "../../../support/removeFolder.mjs";
import { runRecord, type Scene } from "../../../support/scene.ts";
import { record, times } from "../../support/results.ts";
import { counted, judge, truthScript, type Verdict } from "../../support/truth.ts";

export const STEPS = 6;
const PAUSE = 0.02;
/** The one that other users of this machine can start too. */
export const PYTHON = "/usr/bin/python3";
const SECCOMP = fileURLToPath(new URL("refuse.py", import.meta.url));

/** What stands before each command line. */
export type Prefix = readonly string[];

export function boardWithin(...prefixes: readonly Prefix[]): OpenTarget {
  return async () => {
    const connection = openLocal();
    return { ...connection, exec: (argv) => connection.exec([...prefixes.flat(), ...argv]) };
  };
}

/** The kernel answers the system calls of these groups with an error. */
export function refusing(...what: readonly ("execmem" | "prctl" | "perf" | "ptrace")[]): Prefix {
  return [PYTHON, "-I", SECCOMP, ...what, "--"];
}

/** `env` of the command lines; `-u NAME` takes one away. */
export function environment(...changes: readonly string[]): Prefix {
  return ["env", ...changes];
}

export function withUmask(mask: string): Prefix {
  return ["sh", "-c", `umask ${mask}; exec "$@"`, "sh"];
}

export function asUser(uid: number): Prefix {
  return ["setpriv", "--reuid", `${uid}`, "--regid", `${uid}`, "--clear-groups", "--"];
}

export const isRoot = process.getuid?.() === 0;
const ENTER = isRoot ? ["-m"] : ["-U", "-m", "--preserve-credentials"];
const MAKE = isRoot ? ["-m"] : ["-rm"];

/** Whether this test can be done here; where not, it is said that it is skipped. */
export function possible(name: string, here: boolean): boolean {
  if (!here) console.warn(`SKIPPED: ${name}`);
  return here;
}

/** Other users can be played by root only. */
export const otherUsers = possible("tests with several users, which only root can play", isRoot);
/** File systems can be mounted in a namespace of one's own by root, and by others where the system lets them. */
export const ownMounts = possible(
  "tests that mount file systems in a namespace of their own",
  spawnSync("unshare", [...MAKE, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0,
);

export interface Mounts {
  readonly prefix: Prefix;
  end(): Promise<void>;
}

/** A view of the file systems of its own, in which `script` (sh) has been run. */
export async function withMounts(script: string): Promise<Mounts> {
  const holder = spawn("unshare", [...MAKE, "sh", "-ec", `${script}\necho ready; read end`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [said] = await Promise.race([once(holder.stdout, "data"), once(holder, "close")]);
  expect(String(said)).toBe("ready\n");
  return {
    prefix: ["nsenter", "-t", `${holder.pid}`, ...ENTER, "--"],
    end: () => ended(holder),
  };
}

async function ended(holder: ChildProcess): Promise<void> {
  const over = once(holder, "close");
  holder.stdin?.end();
  await over;
}

export interface HomeFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** A home folder that nobody but `uid` may enter. */
export function homeOf(uid: number): HomeFolder {
  const above = mkdtempSync(join(tmpdir(), "jmp-home-"));
  chmodSync(above, 0o711);
  const path = join(above, "nano");
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, uid, uid);
  return { path, remove: () => removeFolder(above) };
}

/**
 * A copy of the Python that lacks modules of its own library, as one that was built without their libraries does.
 * @param modules names of extension modules that lie in files of their own
 */
export function pythonWithout(folder: string, modules: readonly string[]): string {
  const asked = "import os, sys; print(os.path.realpath(sys.executable)); print(os.path.dirname(os.__file__))";
  const [program = "", library = ""] = execFileSync(PYTHON, ["-I", "-c", asked], { encoding: "utf8" }).split("\n");
  const own = join(folder, "lib", basename(library));
  mkdirSync(join(own, "lib-dynload"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  copyFileSync(program, join(folder, "bin", basename(program)));
  for (const name of readdirSync(library))
    if (name !== "lib-dynload") symlinkSync(join(library, name), join(own, name));
  for (const name of readdirSync(join(library, "lib-dynload")))
    if (!modules.includes(name.split(".")[0] ?? ""))
      symlinkSync(join(library, "lib-dynload", name), join(own, "lib-dynload", name));
  return join(folder, "bin", basename(program));
}

/** One run of the script of which everything is known. */
export async function strictRun(
  scene: Scene,
  open: OpenTarget,
  changes: Partial<ProfileRequest> = {},
): Promise<RunOutcome> {
  scene.events.length = 0;
  scene.write({ "truth.py": truthScript(STEPS, PAUSE) });
  const request = scene.request("nano@board", "truth.py", { accelerator: true, python: PYTHON, ...changes });
  return profileRun(request, scene.deps(), open).done;
}

/**
 * Runs in which everything must be as always, but for what is told of them; more of them in a long form.
 * @returns the last one
 */
export async function soundRuns(
  scene: Scene,
  fault: string,
  open: OpenTarget,
  changes: Partial<ProfileRequest>,
): Promise<Judged> {
  const runs: Judged[] = [];
  let last: Judged;
  do {
    last = await judged(scene, await strictRun(scene, open, changes));
    runs.push(last);
  } while (runs.length < times(1, 5));
  const verdicts = runs.map(({ verdict }) => verdict);
  record({ kind: "fault", group: "board", fault, ...counted(verdicts) });
  expect(verdicts.flatMap(({ why }) => why)).toEqual([]);
  return last;
}

/** The run did not begin, which was said in words that name what is needed: one `record` of the fault. */
export function expectRefused(fault: string, outcome: RunOutcome, code: string, ...words: readonly string[]): void {
  const columns = { lostProfiles: undefined, duplicatedOutput: undefined, wrongLine: undefined };
  record({ kind: "fault", group: "board", fault: `${fault}: refused in words`, trials: 1, ...columns });
  expect(outcome).toMatchObject({ kind: "failed", error: { code } });
  if (outcome.kind !== "failed") return;
  for (const word of words) expect(`${outcome.error.message} ${outcome.error.hint}`).toContain(word);
}

export function runWarnings(folder: string): readonly string[] {
  return (runRecord(folder)["warnings"] as readonly { readonly code: string }[]).map(({ code }) => code);
}

export interface Judged {
  readonly verdict: Verdict;
  /** Codes of the run's warnings, and of those that came before it began. */
  readonly warnings: readonly string[];
  readonly record: Record<string, unknown>;
  readonly folder: string;
}

/** The run must have ended by itself. */
export async function judged(scene: Scene, outcome: RunOutcome): Promise<Judged> {
  if (outcome.folder === undefined || outcome.kind !== "finished")
    throw new Error(
      `the run did not finish: ${JSON.stringify(outcome)} ${outcome.kind === "failed" ? outcome.error.message : ""}`,
    );
  return {
    verdict: await judge(outcome.folder, { exactly: STEPS }),
    warnings: [...new Set([...runWarnings(outcome.folder), ...scene.warnings()])].sort(),
    record: runRecord(outcome.folder),
    folder: outcome.folder,
  };
}
