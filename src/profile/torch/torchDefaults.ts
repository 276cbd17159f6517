/** What is recorded of PyTorch unless the person says otherwise. */
export const TORCH_DEFAULTS = {
  /** Events of the allocator kept for a snapshot: some hundred bytes each on the board, with their stacks. */
  snapshotEntries: 100_000,
  /** Training steps that a model account looks at. */
  modelSteps: 3,
} as const;

export const MOST_SNAPSHOT_ENTRIES = 1_000_000;
export const MOST_MODEL_STEPS = 1_000;
