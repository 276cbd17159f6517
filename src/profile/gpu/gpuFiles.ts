/** The gpu.<pid>.json files of a run folder. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { t } from "../../words/t.ts";
import type { RunInfo } from "../model.ts";
import { sampledMean } from "../run/nativeStacks.ts";
import { type GpuProcess, type GpuSummary, MOST_GPU_BYTES, readGpuProcess, summaryOf } from "./gpuMemory.ts";

const MOST_PROCESSES = 64;

export interface GpuFiles {
  /** By their ids. */
  readonly processes: readonly GpuProcess[];
  /** Which could not be read; whole sentences. */
  readonly problems: readonly string[];
}

/** Reads those of one run after another: again only where they changed. */
export function createGpuReader(): { read(folder: string): Promise<GpuFiles> } {
  let known: { readonly version: string; readonly files: Promise<GpuFiles> } | undefined;
  return {
    async read(folder) {
      const names = await namesIn(folder);
      const stats = await Promise.all(names.map((name) => fs.stat(path.join(folder, name)).catch(() => undefined)));
      const version = JSON.stringify([folder, names, stats.map((one) => one && [one.size, one.mtimeMs, one.ino])]);
      if (known?.version !== version) known = { version, files: readGpuFiles(folder) };
      return await known.files;
    },
  };
}

/** Nothing where the run has none: nobody called CUDA, or nobody looked. */
export async function readGpuFiles(folder: string): Promise<GpuFiles> {
  const names = await namesIn(folder);
  const processes: GpuProcess[] = [];
  const problems: string[] = [];
  for (const name of names.slice(0, MOST_PROCESSES)) {
    const found = await readOne(path.join(folder, name));
    if (found === undefined) problems.push(t("{0} cannot be read, so what it has of the GPU is not shown.", name));
    else processes.push({ ...found, pid: pidIn(name) ?? found.pid });
  }
  const more = names.length - MOST_PROCESSES;
  if (more === 1) problems.push(t("GPU memory of 1 more process is not shown."));
  else if (more > 1) problems.push(t("GPU memory of {0} more processes is not shown.", more));
  return { processes, problems };
}

/** Who asked for how much; of a run in which somebody looked. */
export async function readGpuSummaries(folder: string, { engine }: Pick<RunInfo, "engine">): Promise<GpuSummary[]> {
  return sampledMean(engine) === undefined ? [] : (await readGpuFiles(folder)).processes.map(summaryOf);
}

const pidIn = (name: string): number | undefined => {
  const pid = /^gpu\.([1-9]\d{0,9})\.json$/.exec(name)?.[1];
  return pid === undefined ? undefined : Number(pid);
};

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await fs.readdir(folder).catch(() => []);
  return names.filter((name) => pidIn(name) !== undefined).sort((a, b) => (pidIn(a) ?? 0) - (pidIn(b) ?? 0));
}

async function readOne(file: string): Promise<GpuProcess | undefined> {
  try {
    const stats = await fs.stat(file);
    if (!stats.isFile() || stats.size > MOST_GPU_BYTES) return undefined;
    return readGpuProcess(await fs.readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}
