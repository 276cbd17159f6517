/** What could be done about a run's memory. docs/advice.md has each rule in words. */
import type { Steps } from "../../profile/files/inTurns.ts";
import { type AdviceInput, factsOf, type Rule } from "./facts.ts";
import type { Advice } from "./model.ts";
import { reservedNotAllocated } from "./rules/allocator.ts";
import { batchNearTheLimit, evaluationWithGradients } from "./rules/batch.ts";
import { twiceInMemory } from "./rules/copies.ts";
import { caughtOutOfMemory, expandableSegments, nvmapError, nvmlAssert } from "./rules/cudaErrors.ts";
import { growingLine, keptHistory } from "./rules/growth.ts";
import { libraryLoad } from "./rules/libraries.ts";
import { loaderWorkers, pinnedMemory } from "./rules/loader.ts";
import { loadedTwice } from "./rules/loading.ts";
import {
  desktopRunning,
  killedForMemory,
  leftOverProcess,
  memoryLimit,
  pageCache,
  swapIsNotGpu,
  zramTakesRam,
} from "./rules/system.ts";

/** What explains an ending stands before what would save memory in general. */
const RULES: readonly Rule[] = [
  expandableSegments,
  nvmlAssert,
  nvmapError,
  memoryLimit,
  killedForMemory,
  loaderWorkers,
  keptHistory,
  growingLine,
  batchNearTheLimit,
  evaluationWithGradients,
  desktopRunning,
  leftOverProcess,
  loadedTwice,
  twiceInMemory,
  reservedNotAllocated,
  libraryLoad,
  pinnedMemory,
  zramTakesRam,
  pageCache,
  swapIsNotGpu,
  caughtOutOfMemory,
];

/** The certain before the likely, then the larger saving first; at most one advice of each rule. */
export function* advise(input: AdviceInput): Steps<readonly Advice[]> {
  // Under valgrind the memory is valgrind's too, and the engine's own warnings say what to do.
  if (input.run.engine.name === "massif") return [];
  const facts = yield* factsOf(input);
  const given: Advice[] = [];
  for (const rule of RULES) {
    // Most look at each line of the run.
    yield;
    const advice = rule(facts);
    if (advice !== undefined) given.push(advice);
  }
  return given.sort((a, b) => rank(a) - rank(b) || (b.saves?.bytes ?? 0) - (a.saves?.bytes ?? 0));
}

function rank({ strength }: Advice): number {
  return strength === "certain" ? 0 : 1;
}
