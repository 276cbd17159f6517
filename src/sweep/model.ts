/** A script run over a grid of parameters. Sizes are bytes. */
import type { Measured } from "../compare/model.ts";
import type { Exit } from "../profile/model.ts";

export interface Parameter {
  readonly name: string;
  /** As they are given to the script; numbers in their order, else as they were listed. */
  readonly values: readonly string[];
}

/** Which runs a sweep has. */
export interface Planned {
  readonly parameters: readonly Parameter[];
  /** Runs of each point. */
  readonly repeat: number;
  /** `skip`: larger values of a numeric parameter are not run once a smaller one ran out of memory. */
  readonly larger: "skip" | "run";
}

/** A value for each parameter, by its name. */
export type Values = Readonly<Record<string, string>>;

/**
 * What a plot shows. `rss`: highest RSS of the main process. `board`: the most that the board's memory in use
 * (MemTotal − MemAvailable) grew above what it was right before the run. `cuda`: highest seen of PyTorch's reserved CUDA
 * memory.
 */
export const FIGURES = ["rss", "board", "cuda"] as const;
export type Figure = (typeof FIGURES)[number];

/** One run of the sweep. Of a run that was killed, the figures are what had been seen by then. */
export interface SweepRun {
  readonly folder: string;
  readonly values: Values;
  /** `stopped`: cancelled or never started, so that it says nothing. */
  readonly outcome: "fits" | "out-of-memory" | "failed" | "stopped" | "running";
  readonly exit?: Exit;
  /** Why it ran out of memory, a sentence. */
  readonly reason?: string;
  readonly peaks: Readonly<Partial<Record<Figure, number>>>;
  readonly elapsedMs?: number;
  /** MemAvailable right before the script was started. */
  readonly available?: number;
  /** What PyTorch could have reserved on the GPU at most, and how that is known. */
  readonly cudaRoom?: Room;
  readonly target?: string;
  readonly simulated: boolean;
}

/** A figure of a point with the outermost of its repeats. */
export interface Peak extends Measured {
  readonly least: number;
  readonly most: number;
}

/** One point of the grid with its repeats. */
export interface SweepPoint {
  readonly values: Values;
  /** Those that say something of it; in the order in which they were made. */
  readonly folders: readonly string[];
  /** `skipped`: not run, as a smaller value of one parameter did not fit; `missing`: not run yet, or its run is gone. */
  readonly state: "fits" | "out-of-memory" | "failed" | "skipped" | "missing" | "running";
  /** Runs that are still to be made. */
  readonly left: number;
  readonly exits: readonly Exit[];
  readonly reason?: string;
  readonly peaks: Readonly<Partial<Record<Figure, Peak>>>;
  readonly elapsedMs?: Measured;
  /** MemAvailable right before its runs, the least of them. */
  readonly available?: number;
}

/** What a run could take, and how it is known, in words. */
export interface Room {
  readonly bytes: number;
  readonly how: string;
}

/** The straight line that a figure's peaks lie on. */
export interface PeakLine {
  readonly bytesEach: number;
  /** Where the line meets the value 0. */
  readonly fixed: number;
  /** The most that a measured peak lies away from the line. */
  readonly misfit: number;
  readonly points: number;
}

/** The largest value that fits by one figure's peaks, or why it cannot be told. */
export type Estimate = { readonly figure: Figure } & (
  | {
      readonly kind: "fits-up-to";
      readonly line: PeakLine;
      /** On the careful side of the line's misfit; a whole number where all values are. */
      readonly largest: number;
    }
  | { readonly kind: "no-limit"; readonly line: PeakLine; readonly reason: string }
  | { readonly kind: "no-line"; readonly reason: string }
);

/** The largest value of a numeric parameter that fits, the others being what they are. */
export interface Limit {
  readonly parameter: string;
  readonly others: Values;
  /** Of those that ran to their end. */
  readonly largestRun?: number;
  /** The smallest that ran out of memory. */
  readonly smallestFailed?: number;
  /** One for each figure that was measured. */
  readonly estimates: readonly Estimate[];
}

export interface Sweep {
  readonly id: string;
  readonly title: string;
  readonly target?: string;
  /** The parameter whose values are boards, where it was run on several. */
  readonly board?: string;
  readonly simulated: boolean;
  readonly parameters: readonly Parameter[];
  /** How many runs of each point were asked for. */
  readonly repeat: number;
  readonly points: readonly SweepPoint[];
  /** The least of all runs; of none where they were on several boards: each point has its own. */
  readonly rooms: Readonly<Partial<Record<Figure, Room>>>;
  readonly limits: readonly Limit[];
  readonly notes: readonly string[];
}
