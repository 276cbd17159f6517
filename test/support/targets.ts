import { inFull } from "./inFull.ts";

/** Where what is the same everywhere is tried, without a board: over SSH to this computer, in full also without SSH. */
export const TARGETS_IN_TURN: readonly string[] = inFull ? ["local", "loopback"] : ["loopback"];
