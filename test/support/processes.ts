/** Processes of this machine, for tests that see to it that none is left. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const GIVE_UP_MS = 20_000;

/** Pids of processes whose command line names the text. */
export function processesNaming(text: string): number[] {
  return allPids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

function allPids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Kills them at once; one may have ended with another. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** Waits until no process names the text any more, for a while: one that a test left behind is no reason to wait on. */
export async function endOfProcessesNaming(text: string): Promise<void> {
  for (const end = Date.now() + GIVE_UP_MS; processesNaming(text).length > 0 && Date.now() < end; ) await delay(50);
}

/** Waits until no child of a process names the text any more; after a while those that do are killed. */
export async function endOfChildren(parent: number, text: string): Promise<void> {
  const left = (): number[] => processesNaming(text).filter((pid) => parentOf(pid) === parent);
  for (const end = Date.now() + GIVE_UP_MS; left().length > 0 && Date.now() < end; ) await delay(50);
  killAll(left());
}

/** Pids of the processes that a process started, and of theirs, as far as their parents still live. */
export function descendantsOf(pid: number): number[] {
  const children = allPids().filter((one) => parentOf(one) === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function parentOf(pid: number): number | undefined {
  try {
    const [, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(parent);
  } catch {
    return undefined; // gone
  }
}

/** Each Python process with its parent, its threads by what they wait for in the kernel, and its command. */
export function pythonsRunning(): string {
  return processesNaming("python")
    .flatMap((pid) => {
      try {
        const tasks = readdirSync(`/proc/${pid}/task`).map((task) =>
          readFileSync(`/proc/${pid}/task/${task}/wchan`, "utf8"),
        );
        const counts = new Map<string, number>();
        for (const task of tasks) counts.set(task, (counts.get(task) ?? 0) + 1);
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 120);
        return [
          `${pid} of ${parentOf(pid)}: ${[...counts].map(([at, count]) => `${count} ${at}`).join(", ")}: ${command}`,
        ];
      } catch {
        return []; // gone
      }
    })
    .join("\n");
}
