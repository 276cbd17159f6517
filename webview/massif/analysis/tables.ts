/** The figures beside the graph: by library, by allocator, by Python line. */
import { linesAtPeak } from "../../../src/massif/lines.ts";
import type { FrameTree } from "../../../src/massif/model.ts";
import { byLibrary, libraryName, topAllocators } from "../../../src/massif/summary.ts";
import type { Tables } from "./jobs.ts";

/**
 * Of a snapshot or of the difference of two, heaviest first.
 * @param stacks allocators first, with all frames
 * @param folded the same stacks as the graph shows them, allocators first
 */
export function tablesOf(stacks: FrameTree, folded: FrameTree): Tables {
  return {
    libraries: byLibrary(stacks).map(({ library, ...figures }) => ({
      library,
      name: libraryName(library),
      ...figures,
    })),
    allocators: topAllocators(folded),
    python: linesAtPeak(stacks).map(({ path, line, ...figures }) => ({ place: { path, line }, ...figures })),
  };
}
