/** The massif files of a run or of one process: opened once, read again when they change. */
import * as fs from "node:fs/promises";
import type { CallTree, FrameNames, FrameTree, MassifFile, MeasuredLines, Sampled } from "../../massif/model.ts";
import { openMassif } from "../../massif/node/massifSource.ts";
import { readSampled, readSnapshotBands, sampledFile } from "../../massif/node/sampledErrors.ts";
import { readSidecars, recordedAs, sidecarFiles } from "../../massif/node/sidecars.ts";
import { doubtsOf } from "../../massif/sampled.ts";
import { peakPlace } from "../../massif/snapshots.ts";
import { labelFacts } from "../../massif/tree/frames.ts";
import { frameTreeOf } from "../../massif/tree/frameTree.ts";
import { defined } from "../../profile/defined.ts";

/** One process as massif saw it. */
export interface MassifProcess {
  readonly path: string;
  /** Absent for a file that is not named as our runs name theirs. */
  readonly pid?: number;
  /** What it holds: blocks of the heap, or what calls took of the GPU, each of them. */
  readonly memory: "heap" | "gpu";
  readonly file: MassifFile;
  readonly names: FrameNames;
  readonly measured: MeasuredLines;
  /** Which of the files beside it could not be read; whole sentences. */
  readonly problems: readonly string[];
  /** How far the sizes of the snapshots may be off, in their order; absent where every allocation was counted. */
  readonly bands?: readonly number[];
  /** @throws UserError as openMassif's `tree` */
  tree(snapshot: number): Promise<CallTree>;
  /** Of the bytes of a tree's nodes; undefined where every allocation was counted. */
  sampled(snapshot: number, calls: CallTree): Promise<Sampled | undefined>;
  /** The stacks at the heap's peak; undefined where no snapshot has any. @throws UserError as `tree` */
  peak(): Promise<PeakStacks | undefined>;
}

export interface PeakStacks {
  /** Place in the file. */
  readonly snapshot: number;
  /** Massif's own peak has no stacks (or there is none): this is the largest snapshot that has. */
  readonly substitute: boolean;
  /** What all stacks together hold, bytes. */
  readonly bytes: number;
  /** Allocators first, with all frames. */
  readonly stacks: FrameTree;
  /** How far `bytes` may be off; absent where every allocation was counted. */
  readonly band?: number;
}

export interface MassifProcesses {
  /** The process as its files are now. @throws UserError as openMassif */
  open(file: string): Promise<MassifProcess>;
}

/**
 * A training script has some ten DataLoader workers. More than these are neither read nor shown, since each file must be
 * read as a whole to list its snapshots.
 */
export const MOST_PROCESSES = 64;
/** As many as one run may have, and their GPU's: an index is small, and the stacks of one peak take about a MB. */
const KEPT = 2 * MOST_PROCESSES;

export function createMassifProcesses(): MassifProcesses {
  const kept = new Map<string, { readonly version: string; readonly process: Promise<MassifProcess> }>();
  return {
    async open(file) {
      // Taken first: what is written while the files are read makes them another version.
      const version = await versionOf(file);
      const known = kept.get(file);
      const process = known?.version === version ? known.process : read(file);
      kept.delete(file);
      kept.set(file, { version, process });
      const oldest = kept.keys().next().value;
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
      try {
        return await process;
      } catch (error) {
        if (kept.get(file)?.process === process) kept.delete(file);
        throw error;
      }
    },
  };
}

async function read(file: string): Promise<MassifProcess> {
  const { pid, memory = "heap" } = recordedAs(file) ?? {};
  const [opened, sidecars] = await Promise.all([openMassif(file), readSidecars(file)]);
  const bands = await readSnapshotBands(file, opened.file);
  let peak: Promise<PeakStacks | undefined> | undefined;
  const process: Omit<MassifProcess, "peak"> = {
    path: file,
    ...defined({ pid }),
    memory,
    file: opened.file,
    names: sidecars.frames,
    measured: sidecars.measured,
    problems: sidecars.problems,
    ...defined({ bands }),
    tree: opened.tree,
    sampled: (snapshot, calls) =>
      readSampled(file, opened.file, opened.file.snapshots[snapshot]?.number ?? snapshot, calls),
  };
  return {
    ...process,
    peak() {
      peak ??= readPeak(process).catch((error: unknown) => {
        peak = undefined;
        throw error;
      });
      return peak;
    },
  };
}

async function readPeak(process: Omit<MassifProcess, "peak">): Promise<PeakStacks | undefined> {
  const { snapshots } = process.file;
  const snapshot = peakPlace(snapshots);
  if (snapshot === undefined) return undefined;
  const calls = await process.tree(snapshot);
  const sampled = await process.sampled(snapshot, calls);
  const stacks = frameTreeOf(calls, labelFacts(calls.labels, process.names), sampled);
  const doubts = doubtsOf(stacks);
  return {
    snapshot,
    stacks,
    substitute: snapshots[snapshot]?.tree.kind !== "peak",
    bytes: stacks.total[0] ?? 0,
    ...(doubts && { band: doubts.bandOf(doubts.total[0]) }),
  };
}

async function versionOf(file: string): Promise<string> {
  const { frames, lines } = sidecarFiles(file) ?? {};
  const files = [file, frames, lines, sampledFile(file)].filter((name) => name !== undefined);
  const versions = files.map((name) =>
    fs.stat(name).then(
      ({ size, mtimeMs, ino }) => `${size} ${mtimeMs} ${ino}`,
      // Missing, or not ours to look at: whoever reads it says so.
      (error: NodeJS.ErrnoException) => error.code,
    ),
  );
  return (await Promise.all(versions)).join();
}
