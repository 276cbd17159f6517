/** The most that PyTorch's CUDA allocator reserved, from all that a run recorded of it. Bytes. */
import type { FileProfile, Profile } from "../../profile/model.ts";
import type { MomentTable } from "./momentTable.ts";

/**
 * The highest of all readings of one process: at the moments, some one a second, where a phase began, and the most that
 * it gained on any line. Between them it may have been more. Undefined where it was not read.
 */
export function cudaPeak(
  { files, byProcess, cuda, phases }: Pick<Profile, "files" | "byProcess" | "cuda" | "phases">,
  moments: MomentTable | undefined,
): number | undefined {
  let most = moments?.mostReserved;
  const add = (bytes: number | undefined): void => {
    if (bytes !== undefined) most = Math.max(most ?? 0, bytes);
  };
  // Phases tell of it before CUDA is there, too.
  if (cuda.size > 0) for (const { reserved } of phases) add(reserved);
  // The lines of all processes are added up in `files`: those of one are the ones to look at.
  for (const table of byProcess.size === 0 ? [files] : byProcess.values()) add(mostGained(table));
  return most;
}

function mostGained(files: readonly FileProfile[]): number | undefined {
  let most: number | undefined;
  for (const { lines } of files) {
    for (const { cuda } of lines) {
      if (cuda !== undefined) most = Math.max(most ?? 0, cuda.reservedPeak ?? 0, cuda.reservedNet);
    }
  }
  return most;
}
