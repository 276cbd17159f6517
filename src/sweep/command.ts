/** How the runs of a sweep are made, besides what its parameters change. */
import type { EngineName } from "../profile/model.ts";
import type { SweepPlan } from "./makeRuns.ts";
import type { Sweep, SweepRun } from "./model.ts";

export type SweepEntry =
  | { readonly kind: "script"; readonly path: string }
  | { readonly kind: "module"; readonly name: string };

export interface SweepCommand {
  /** A script's path is relative to the project folder, with `/`. */
  readonly entry: SweepEntry;
  /** With the braces of placeholders. */
  readonly args: readonly string[];
  /** On several boards the first of them. */
  readonly target: string;
  /** What starts the script, and its arguments; absent: Python does. */
  readonly launch?: readonly string[];
  /** One training over all boards at once: each run is a part of it. */
  readonly together?: boolean;
  readonly python?: string;
  readonly engine: Exclude<EngineName, "massif">;
  readonly exact: boolean;
  readonly accelerator: boolean;
  readonly torch?: {
    readonly exactPeaks: boolean;
    readonly snapshots?: { readonly entries: number };
    readonly model?: { readonly steps: number };
  };
  readonly excludes: readonly string[];
  /** Names of the variables that were given; their values may be secrets, so they are not kept. */
  readonly variables: readonly string[];
}

/** What is kept beside the runs, so that those that are missing can be made later. */
export interface PlannedSweep extends SweepPlan {
  readonly command: SweepCommand;
}

/** A sweep as it lies in a runs folder. */
export interface FoundSweep {
  readonly runsFolder: string;
  readonly plan?: PlannedSweep;
  /** In the order in which they were made. */
  readonly runs: readonly SweepRun[];
  readonly sweep: Sweep;
}

/** `train.py --epochs 2`, `torchrun --nproc-per-node 2 train.py`. */
export function commandTitle({ launch = [], entry, args }: Pick<SweepCommand, "launch" | "entry" | "args">): string {
  return [...launch, entry.kind === "script" ? entry.path : `-m ${entry.name}`, ...args].join(" ");
}
