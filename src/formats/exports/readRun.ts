/** Reads all of a run folder that an export may hold. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { readMoments } from "../../board/node/readMoments.ts";
import { longestStack, sampledMean } from "../../massif/counted.ts";
import { bytesWithoutLine } from "../../massif/lines.ts";
import { openMassif } from "../../massif/node/massifSource.ts";
import { readSampled } from "../../massif/node/sampledErrors.ts";
import { pidOf, readSidecars } from "../../massif/node/sidecars.ts";
import { peakPlace } from "../../massif/snapshots.ts";
import { labelFacts } from "../../massif/tree/frames.ts";
import { frameTreeOf } from "../../massif/tree/frameTree.ts";
import { defined } from "../../profile/defined.ts";
import { appended } from "../../profile/files/fileReading.ts";
import { parseObject } from "../../profile/files/jsonRecords.ts";
import { readGpuFiles } from "../../profile/gpu/gpuFiles.ts";
import type { GpuProcess } from "../../profile/gpu/gpuMemory.ts";
import type { Profile, RunInfo } from "../../profile/model.ts";
import { hasNativeStacks, sampledMean as sampledMeanOf } from "../../profile/run/nativeStacks.ts";
import type { RunReader } from "../../profile/run/runFolder.ts";
import { UserError } from "../../profile/userError.ts";
import { readKeeping } from "../../runs/keeping.ts";
import { t } from "../../words/t.ts";
import type { ProcessHeap, WholeRun } from "./model.ts";

/** Stacks of so many processes are held at once. */
const MOST_HEAPS = 16;

/**
 * What is damaged beside the figures is done without, and said.
 * @param reader of the run, refreshed
 */
export async function readWholeRun(reader: RunReader): Promise<WholeRun> {
  const profile = reader.profile();
  const rssPeak = reader.rssPeak();
  const problems: string[] = [];
  const moments = await orProblem(readMoments(reader.folder), problems);
  const keeping = await readKeeping(reader.folder);
  const heaps = await readHeaps(reader.folder, profile.run, problems);
  const isMassif = profile.run.engine.name === "massif";
  return {
    profile,
    samples: reader.samples(),
    ...defined({ rssPeak }),
    sources: await readSources(reader, profile),
    keeping,
    ...defined({ moments }),
    heaps: isMassif ? heaps : [],
    ...(isMassif ? {} : { sampledHeaps: heaps }),
    gpu: await readGpuOf(reader.folder, profile.run, problems),
    problems,
  };
}

/** The records of moments.jsonl as they are, without what cannot be read. */
export async function readMomentRecords(folder: string): Promise<readonly object[]> {
  const records: object[] = [];
  const line = (text: string) => {
    const record = parseObject(text);
    if (record !== undefined) records.push(record);
  };
  await appended(path.join(folder, "moments.jsonl"), { restart: () => {}, line }).read();
  return records;
}

async function readSources(reader: RunReader, { files }: Profile): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  for (const { path: name } of files) {
    const text = await reader.source(name);
    if (text !== undefined) sources.set(name, text);
  }
  return sources;
}

/** Of a run with native stacks; what cannot be read is added to the problems. */
export async function readHeaps(folder: string, run: RunInfo, problems: string[]): Promise<ProcessHeap[]> {
  if (!hasNativeStacks(run.engine)) return [];
  const main = run.processes.find(({ kind }) => kind === "main")?.pid;
  const pids = (await fs.readdir(folder))
    .flatMap((name) => pidOf(name) ?? [])
    .sort((a, b) => Number(b === main) - Number(a === main) || a - b);
  const heaps: ProcessHeap[] = [];
  for (const pid of pids.slice(0, MOST_HEAPS)) {
    const label = run.processes.find((process) => process.pid === pid)?.label ?? `process ${pid}`;
    const heap = await orProblem(
      readHeap(path.join(folder, `massif.out.${pid}`), { pid, label }),
      problems,
      `${label}: `,
    );
    if (heap !== undefined) heaps.push(heap);
  }
  const more = pids.length - MOST_HEAPS;
  if (more === 1) problems.push(t("1 more process of the run is left out."));
  else if (more > 1) problems.push(t("{0} more processes of the run are left out.", more));
  return heaps;
}

/** Undefined where massif kept no stacks. */
async function readHeap(file: string, process: Pick<ProcessHeap, "pid" | "label">): Promise<ProcessHeap | undefined> {
  const massif = await openMassif(file);
  const { snapshots } = massif.file;
  const place = peakPlace(snapshots);
  const snapshot = place === undefined ? undefined : snapshots[place];
  if (place === undefined || snapshot === undefined) return undefined;
  const { frames, measured } = await readSidecars(file);
  const calls = await massif.tree(place);
  const errors = await readSampled(file, massif.file, snapshot.number, calls);
  const stacks = frameTreeOf(calls, labelFacts(calls.labels, frames), errors);
  const sampled = sampledMean(massif.file);
  return {
    ...process,
    bytes: snapshot.heap,
    substitute: snapshot.tree.kind !== "peak",
    stacks,
    pythonFrames: frames.level,
    ...defined({ sampled }),
    withoutLine:
      frames.level === "none" || sampled !== undefined ? 0 : bytesWithoutLine(stacks, longestStack(massif.file)),
    measured: measured.lines,
  };
}

/** What the run's processes took of the GPU by calls of their own; what cannot be read is added to the problems. */
export async function readGpuOf(folder: string, run: RunInfo, problems: string[]): Promise<readonly GpuProcess[]> {
  if (sampledMeanOf(run.engine) === undefined) return [];
  const found = await readGpuFiles(folder);
  problems.push(...found.problems);
  return found.processes;
}

async function orProblem<T>(reading: Promise<T>, problems: string[], of = ""): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    problems.push(`${of}${error.message}`);
    return undefined;
  }
}
