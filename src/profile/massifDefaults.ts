/** What a run under massif asks for unless the person says otherwise. */
export const MASSIF_DEFAULTS = {
  /** Per cent of the heap. Smaller values keep more stacks and make much larger files. */
  threshold: 0.1,
  /** Frames: PyTorch's own between a user's line and malloc are some forty. */
  depth: 100,
  /** Executions of a chosen line whose stacks are kept before and after. */
  maxHits: 3,
  /** How many of the heaviest lines of the last run are measured before and after. */
  lines: 8,
} as const;
