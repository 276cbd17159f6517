/** The processes of a massif run, by its folder. */

import * as fs from "node:fs/promises";
import * as path from "node:path";
import { recordedAs } from "../../massif/node/sidecars.ts";
import { processName } from "../../profile/run/processName.ts";
import type { RunHead } from "../../profile/run/runHead.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { type MassifProcess, type MassifProcesses, MOST_PROCESSES } from "./processes.ts";

export interface NamedProcess {
  /** For people: `main`, `worker 1`. */
  readonly name: string;
  readonly process: MassifProcess;
}

export interface RunProcesses {
  /** The main process first. */
  readonly opened: readonly NamedProcess[];
  /** What could not be opened and why; whole sentences. */
  readonly left: readonly string[];
}

/** One process's file that was cut off does not hide the others. */
export async function runProcesses(
  processes: MassifProcesses,
  folder: string,
  { run }: Pick<RunHead, "run">,
  memory: MassifProcess["memory"] = "heap",
): Promise<RunProcesses> {
  const main = run.processes.find(({ kind }) => kind === "main")?.pid;
  const names = await fs.readdir(folder).catch(() => []);
  const files = names
    .flatMap((name) => recordedAs(name) ?? [])
    .filter((one) => one.memory === memory)
    .map(({ pid }) => pid)
    .sort((a, b) => Number(b === main) - Number(a === main) || a - b);
  const opened: NamedProcess[] = [];
  const more = files.length - MOST_PROCESSES;
  const prefix = memory === "gpu" ? "gpu.out" : "massif.out";
  const left =
    more === 1
      ? [t("1 more process is not shown here; open its {0} file.", prefix)]
      : more > 1
        ? [t("{0} more processes are not shown here; open their {1} files.", more, prefix)]
        : [];
  for (const pid of files.slice(0, MOST_PROCESSES)) {
    const name = processName(run, pid);
    const file = `${prefix}.${pid}`;
    try {
      const process = await processes.open(path.join(folder, file));
      if (memory === "heap") opened.push({ name, process });
      // One that only looked for CUDA took nothing.
      else if (process.file.snapshots.some(({ heap }) => heap > 0)) opened.push({ name: t("{0}, GPU", name), process });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      left.push(t("{0} is not shown. {1}", file, error.message));
    }
  }
  return { opened, left };
}
