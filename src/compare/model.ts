/**
 * Two runs compared, each of them one run or several repeats of it. Sizes are bytes. The rule of all verdicts: what is
 * not larger than the noise is never called a change. docs/compare.md says how lines are matched and what noise is.
 */
import type { LedgerGroup } from "../board/ledger/model.ts";
import type { Metric, RunInfo, RunOrigin } from "../profile/model.ts";

/** One figure of one side: the middle of its repeats, and how far they lie apart (largest less smallest). */
export interface Measured {
  readonly median: number;
  /** Absent where the side is one run, whose repeats nobody made. */
  readonly spread?: number;
  readonly runs: number;
}

/** What the figures by line are of; `heap`: what massif counted at the heap's peak. */
export type ComparedMetric = Metric | "heap";

/**
 * What a change must be larger than: the larger spread of the two sides, or, where a side has one run only, at least
 * what that run's own figures leave uncertain; `known` is false then, as runs may differ by more.
 */
export interface Noise {
  /** In the unit of the figure. */
  readonly amount: number;
  readonly known: boolean;
}

export type Verdict =
  | "more"
  | "less"
  /** No larger than the noise. */
  | "same"
  /** The line, file or row is on one side only, where it was measured. Whether that is a change, `changeOf` says. */
  | "only-before"
  | "only-after"
  /** A side could not be measured, or the two measure different things. */
  | "unknown";

export interface Difference {
  readonly verdict: Verdict;
  readonly before?: Measured;
  readonly after?: Measured;
  /** After less before; absent where a side is missing, or measures something else. */
  readonly change?: number;
  readonly noise: Noise;
}

export interface ComparedLine {
  /** 1-based; absent where the line is in the other source only. */
  readonly before?: number;
  readonly after?: number;
  /** The line's text, of the later source where it is there. */
  readonly text: string;
  /** Its text was changed between the two, or it was matched by its content alone. */
  readonly edited: boolean;
  /** Times it ran, the middle of the repeats, where they differ; absent where a side does not say. */
  readonly hits?: { readonly before: number; readonly after: number };
  /** What the line took and kept, and the most a hit held, of the metric compared. Of the heap only `net`: live at its peak. */
  readonly net: Difference;
  readonly peak: Difference;
  /** Where a side has repeats: each one's net, in the order of the runs, so that lines can be added up. */
  readonly nets?: { readonly before: readonly number[]; readonly after: readonly number[] };
}

export interface ComparedFile {
  readonly path: string;
  /** `moved`: no file of this name before; its text was recognized in `from`. */
  readonly kind: "both" | "only-before" | "only-after" | "moved";
  readonly from?: string;
  /** The sources of a side were not kept, so that lines are matched by their numbers. */
  readonly sourcesMissing: boolean;
  /** Lines whose figures are known on any side, in the later file's order. */
  readonly lines: readonly ComparedLine[];
}

/** A side's runs; figures of one run stand for all where they cannot differ. */
export interface Side {
  readonly folders: readonly string[];
  readonly title: string;
  readonly runs: readonly { readonly run: RunInfo; readonly origin?: RunOrigin }[];
}

export interface LedgerLine {
  /** The ledger row's id. */
  readonly id: string;
  readonly group: LedgerGroup;
  readonly label: string;
  readonly difference: Difference;
}

export interface Comparison {
  readonly metric: ComparedMetric;
  readonly before: Side;
  readonly after: Side;
  /** Highest RSS of the main process; of runs under massif its heap's peak. */
  readonly peak: Difference;
  /** The most that PyTorch's CUDA allocator reserved, of all readings: between them it may have been more. */
  readonly cudaPeak: Difference;
  /** The most that the board's memory in use grew above what it was right before the run: with what is on the GPU. */
  readonly boardPeak: Difference;
  /** The board's memory in use (MemTotal − MemAvailable) right before the run. */
  readonly baseline: Difference;
  readonly elapsedMs: Difference;
  /** Each row of the ledger when the run held the most; empty where a side has none. */
  readonly ledger: readonly LedgerLine[];
  readonly files: readonly ComparedFile[];
  /** In words: other boards, other versions, engines or arguments, one repeat missing, … */
  readonly notes: readonly string[];
}
