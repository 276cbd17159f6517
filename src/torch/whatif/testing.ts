/** What a run knows besides its account, for tests. */
import type { TrainingContext } from "./context.ts";

export const CONTEXT: TrainingContext = { sharedMemory: true, moves: [], loader: [], others: [] };
