/** What is kept beside a run's own record, at home only, and what lists say of a run. docs/run-folder.md, "History". */
import type { Exit, ImportedFrom, Metric } from "../profile/model.ts";

/** What its user calls a run. */
export interface RunLabel {
  readonly name?: string;
  /** What is to be remembered of it. */
  readonly note?: string;
  readonly tags: readonly string[];
  /** Never pruned. */
  readonly pinned: boolean;
}

/** Runs that were made together. `index` is 1-based, of as many as were planned. */
export type RunGroup = { readonly id: string; readonly index: number; readonly of: number } & (
  | { readonly kind: "repeat" }
  /** The parameters of this run by name, as they were given to the script. Equal values are repeats of one point. */
  | { readonly kind: "sweep"; readonly values: Readonly<Record<string, string>> }
);

/** The sources' state in git when the run began. */
export interface GitState {
  /** The whole name of HEAD's commit. */
  readonly commit: string;
  readonly branch?: string;
  /** Paths below the project folder that differed from HEAD; `changes.diff` has how. */
  readonly changed: readonly string[];
  /** `changes.diff` would have been too large and was cut off. */
  readonly truncated: boolean;
}

export interface Keeping {
  readonly label: RunLabel;
  readonly group?: RunGroup;
  readonly git?: GitState;
  /** What is there and cannot be read, and why: a sentence each. */
  readonly problems: readonly string[];
}

/** What lists of runs say of one. */
export interface RunSummary {
  /** The run folder's path at home. */
  readonly folder: string;
  readonly id: string;
  /** What ran, with its arguments. */
  readonly title: string;
  /** What ran, without its arguments; absent where that is not known. */
  readonly script?: string;
  /** By the board's clock, ISO 8601. */
  readonly started?: string;
  readonly elapsedMs?: number;
  readonly state: "running" | "finished";
  readonly exit?: Exit;
  readonly target?: string;
  readonly simulated: boolean;
  /** Highest RSS of the main process or of a rank's; under massif that is valgrind's whole process. */
  readonly rssPeak?: number;
  /** It ran under massif. */
  readonly massif: boolean;
  /** Native stacks were sampled beside its lines. */
  readonly sampled?: true;
  /** What can be shown beside the lines. */
  readonly metrics: readonly Metric[];
  /** Until when its lines or samples reach, ms since it began, where they were read. */
  readonly knownMs?: number;
  /** Where it is shown so: its lines are of what came after this moment, ms since it began. */
  readonly since?: number;
  /** Of a run whose script a launcher started several times, where its tables were read. */
  readonly ranks?: readonly number[];
  readonly label: RunLabel;
  /** It was made together with others: repeats, or points of a sweep. */
  readonly group?: RunGroup;
  readonly git?: GitState;
  /** Another tool measured it. */
  readonly imported?: ImportedFrom;
  /** The run has a model account, allocator snapshots. */
  readonly model: boolean;
  readonly snapshots: readonly string[];
  readonly warnings: readonly string[];
}

export type RunListEntry =
  | { readonly kind: "run"; readonly run: RunSummary }
  | { readonly kind: "unreadable"; readonly folder: string; readonly reason: string };
