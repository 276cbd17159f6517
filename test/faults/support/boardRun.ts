/** A run of the script of known figures on this machine as the board, and the processes that belong to it. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ProfileRequest, RunHandle } from "../../../src/protocol/run/run.ts";
import { profileRun } from "../../../src/remote/run/profileRun.ts";
import type { OpenTarget } from "../../../src/remote/transport/openTarget.ts";
import { processesNaming } from "../../support/processes.ts";
import type { Scene } from "../../support/scene.ts";
import { truthScript } from "./truth.ts";

export const SCRIPT = "truth.py";

export interface TruthRun {
  readonly scene: Scene;
  readonly handle: RunHandle;
  /** The run's folder on the board; waits until the script was started. */
  boardFolder(): Promise<string>;
  /** Resolves when so many steps have been printed here. */
  steps(count: number): Promise<void>;
  /** How many steps have been printed here so far. */
  stepsSoFar(): number;
  /** A script that is held goes on. */
  goOn(): void;
}

export interface TruthRunOptions {
  readonly steps: number;
  readonly pauseSeconds: number;
  /** The step after which the script waits for `goOn`: what is done before that is done in the middle of the run. */
  readonly holdAfter?: number;
  readonly changes?: Partial<ProfileRequest>;
  readonly open?: OpenTarget;
  readonly helperFolder?: string;
}

/** @param scene of an earlier trial whose helper is installed already */
export function startTruthRun(options: TruthRunOptions, scene: Scene, target = "local"): TruthRun {
  scene.events.length = 0;
  const file = join(scene.project, "..", "hold");
  const hold = options.holdAfter === undefined ? undefined : { after: options.holdAfter, file };
  if (hold !== undefined) writeFileSync(file, "");
  scene.write({ [SCRIPT]: truthScript(options.steps, options.pauseSeconds, hold) });
  const request = scene.request(target, SCRIPT, options.changes);
  const handle = profileRun(request, scene.deps(undefined, options.helperFolder), options.open);
  const stepsSoFar = (): number => scene.output().split("\n").length - 1;
  return {
    scene,
    handle,
    stepsSoFar,
    async boardFolder() {
      const event = await scene.waitFor((one) => one.kind === "started");
      return join(scene.board, "runs", event.kind === "started" ? event.id : "");
    },
    async steps(count) {
      await scene.waitFor(() => stepsSoFar() >= count);
    },
    goOn: () => rmSync(file, { force: true }),
  };
}

/** Pid of the supervisor below a board's folder from its first moment on; undefined while there is none. */
export function startingSupervisorOf(board: string): number | undefined {
  // The oldest one: what it forked has its command line too, and outlives it by a moment.
  return pidsOf(board, "supervise")[0];
}

/** Pid of the process that mirrors a run home. */
export function attachOf(board: string): number | undefined {
  // The youngest one: that of the run before may still be ending.
  return pidsOf(board, "attach").at(-1);
}

/** The oldest first. */
function pidsOf(board: string, command: string): readonly number[] {
  const found = processesNaming(board).flatMap((pid) => {
    try {
      const is = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(command);
      return is ? [{ pid, began: startTime(pid) }] : [];
    } catch {
      return [];
    }
  });
  return found.sort((a, b) => a.began - b.began || a.pid - b.pid).map(({ pid }) => pid);
}

/** Waits for the processes that a folder's name is known to: they may still write there. */
export async function untilNobodyNames(folder: string): Promise<void> {
  const until = Date.now() + 30_000;
  while (processesNaming(folder).length > 0) {
    if (Date.now() > until) throw new Error(`processes that name ${folder} do not end`);
    await delay(20);
  }
}

/** Of a process, in the kernel's ticks since the boot. */
export function startTime(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19]);
}

interface Noted {
  readonly pid: number;
  readonly script_pid?: number;
}

const notedOf = (boardFolder: string): Noted => JSON.parse(readFileSync(join(boardFolder, "supervisor.json"), "utf8"));

/** Pid of a run's supervisor, as it noted it itself. */
export function supervisorOf(boardFolder: string): number {
  return notedOf(boardFolder).pid;
}

/** Pid of the script, as the supervisor noted it; undefined before it was started. */
export function scriptOf(boardFolder: string): number | undefined {
  return notedOf(boardFolder).script_pid;
}

/** Sends a signal; a process that has ended by itself needs none. */
export function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
