/** A memory cgroup with a limit, for a run in which memory really runs out. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface MemoryGroup {
  /** A Python that runs what it starts a script with inside the group. */
  readonly python: string;
  /** Waits until nobody is in it any more. */
  remove(): Promise<void>;
}

/** Undefined, and said loudly, where this user may make none. The Python is put into `folder`. */
export function makeMemoryGroup(folder: string, limit: number): MemoryGroup | undefined {
  const path = join(ownGroup(), `jmp-faults-${process.pid}`);
  const put = (file: string, value: number): void => writeFileSync(join(path, file), String(value));
  const inside = (): readonly string[] => readFileSync(join(path, "cgroup.procs"), "utf8").split("\n").slice(0, -1);
  try {
    mkdirSync(path);
    const old = existsSync(join(path, "memory.limit_in_bytes"));
    put(old ? "memory.limit_in_bytes" : "memory.max", limit);
    // Else the script would go on in the swap space.
    const swap = old ? "memory.memsw.limit_in_bytes" : "memory.swap.max";
    if (existsSync(join(path, swap))) put(swap, old ? limit : 0);
  } catch (error) {
    if (existsSync(path)) rmdirSync(path);
    console.warn(`SKIPPED: tests that need a memory cgroup (${(error as Error).message})`);
    return undefined;
  }
  const python = join(folder, "python-in-a-group");
  // The process that checks the helper starts the script too.
  const enter = `case "$*" in *" -c "*) echo $$ > '${join(path, "cgroup.procs")}';; esac`;
  writeFileSync(python, `#!/bin/sh\n${enter}\nexec python3 "$@"\n`);
  chmodSync(python, 0o755);
  return {
    python,
    async remove() {
      while (inside().length > 0) await delay(10);
      rmdirSync(path);
    },
  };
}

/** Where this process's own memory group is. */
function ownGroup(): string {
  const entries = readFileSync("/proc/self/cgroup", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const [, , old] = entries.find(([, kinds]) => kinds?.split(",").includes("memory")) ?? [];
  const [, , unified] = entries.find(([number]) => number === "0") ?? [];
  return old === undefined ? `/sys/fs/cgroup${unified ?? ""}` : `/sys/fs/cgroup/memory${old}`;
}
