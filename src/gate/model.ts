/** Limits that a run must keep, and what became of each. Sizes are bytes. */

import type { LinePlace } from "../profile/lines/totals.ts";
import type { Metric } from "../profile/model.ts";

export type Check =
  /** The script came to its own end, with exit status 0. */
  | { readonly kind: "ending" }
  /** The run's highest RSS; with CUDA what PyTorch reserved at most, with `system` the board's memory in use at most. */
  | { readonly kind: "peak"; readonly metric: Metric; readonly limit: number }
  /** What any line alone may take and keep, without the lines that it called: else the outermost call had it all. */
  | { readonly kind: "line"; readonly metric: Metric; readonly limit: number }
  /** Of the run's peak against the baseline's. */
  | { readonly kind: "peak-growth"; readonly metric: Metric; readonly limit: number }
  /** Of each line's net and peak, with what it called, against the baseline's. */
  | { readonly kind: "line-growth"; readonly metric: Metric; readonly limit: number };

/** `unsure`: above the limit by no more than the noise. `unknown`: it could not be measured, which is never a pass. */
export type Outcome = "kept" | "unsure" | "broken" | "unknown";

/** Where in the sources, as they were run; `path` is relative to the project folder, with `/`. */
export interface FindingPlace extends LinePlace {
  /** The line's text, where the source was kept. */
  readonly text?: string;
}

/** One thing that keeps a check from being kept. */
export interface Finding {
  readonly outcome: Exclude<Outcome, "kept">;
  /** What was measured and what is allowed, a sentence. */
  readonly message: string;
  /** Bytes; absent where it is not known, and for the ending. */
  readonly actual?: number;
  /** Absent for the run as a whole. */
  readonly place?: FindingPlace;
}

export interface CheckResult {
  readonly check: Check;
  /** The worst of its findings; `kept` where there are none. */
  readonly outcome: Outcome;
  /** What was found in all, a sentence. */
  readonly message: string;
  /** The largest first. */
  readonly findings: readonly Finding[];
}

export interface GateReport {
  readonly run: { readonly folder: string; readonly title: string; readonly elapsedMs?: number };
  readonly baseline?: { readonly folders: readonly string[]; readonly title: string };
  readonly results: readonly CheckResult[];
  /** What the reader of a comparison should know: other boards, other versions, … */
  readonly notes: readonly string[];
  /** What is unsure fails too. */
  readonly strict: boolean;
  readonly verdict: "kept" | "broken" | "unknown";
  /** The program's own file in the project, which stands for the run as a whole; absent where it is not known. */
  readonly program?: string;
}
