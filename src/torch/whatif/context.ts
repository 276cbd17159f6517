/** What a run knows of its training besides the model account; plain data, so that it can be sent to a page. */
import type { Measure, Trial } from "../model/model.ts";

export interface TrainingContext {
  /** The board's CPU and GPU share one memory. */
  readonly sharedMemory: boolean;
  /** CUDA compute capability, `5.3`; tensor cores are there from 7.0 on. */
  readonly computeCapability?: string;
  /** MemAvailable right before the script was started. */
  readonly availableBefore?: number;
  /** Lines that made something in the CPU's memory which was then moved to the device. */
  readonly moves: readonly MovedLine[];
  /** DataLoader's worker processes at the tightest moment, what is theirs alone. */
  readonly workers?: { readonly count: number; readonly bytes: number };
  /** Lines that ask for workers or pinned memory. */
  readonly loader: readonly LoaderLine[];
  /** The heaviest training steps of other runs of the same script on the same board. */
  readonly others: readonly MeasuredRun[];
}

export interface Place {
  readonly path: string;
  readonly line: number;
}

export interface MovedLine {
  readonly made: Place;
  readonly moved: Place;
  /** The tensor's size, as the line profile has it. */
  readonly bytes: number;
}

export interface LoaderLine extends Place {
  readonly workers?: number;
  readonly pinned: boolean;
}

/** What a training step of another run took. */
export interface MeasuredRun {
  readonly run: string;
  /** The root's type: runs of other models are no evidence. */
  readonly root: string;
  readonly trial?: Trial;
  readonly batch?: number;
  /** Highest above the step's beginning, by `measure`. */
  readonly peak?: number;
  readonly measure?: Measure;
  /** What autograd saved. */
  readonly activations?: number;
  /** Its arguments are those of this run. */
  readonly sameArguments: boolean;
}
