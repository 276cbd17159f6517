/** How much of a run's files is kept in memory: more than runs of ours write, and no more, whatever a board sends. */
export interface Limits {
  /** Measured files. */
  readonly files: number;
  /** Lines and functions with figures, over all files and processes. */
  readonly lines: number;
  readonly processes: number;
  /** Moments of the timeline; of a longer one fewer are kept for each stretch. */
  readonly samples: number;
  /** Moments that are looked at: five a second come to that in two days. */
  readonly samplesRead: number;
}

export const LIMITS: Limits = {
  files: 20_000,
  lines: 300_000,
  processes: 10_000,
  samples: 250_000,
  samplesRead: 1_000_000,
};
