/** Compares what lies in run folders. */

import { stepsInTurns } from "../../profile/files/inTurns.ts";
import type { Metric } from "../../profile/model.ts";
import { comparison } from "../compareRuns.ts";
import type { Comparison } from "../model.ts";
import { seriesNotes } from "../notes.ts";
import { loadSide } from "./loadSide.ts";

export interface Folders {
  readonly before: readonly string[];
  /** Several are repeats of the same run. */
  readonly after: readonly string[];
}

/**
 * @param wanted is compared where both sides have it, RSS otherwise, as a note says then
 * @throws UserError as loadSide
 */
export async function compareFolders({ before, after }: Folders, wanted: Metric): Promise<Comparison> {
  return await stepsInTurns(comparison(await loadSide(before), await loadSide(after), wanted));
}

/**
 * The repeats of one run by themselves: both sides are the same, and tell how far the runs lie apart.
 * @throws UserError as loadSide
 */
export async function compareRepeats(folders: readonly string[], wanted: Metric): Promise<Comparison> {
  const side = await loadSide(folders);
  return { ...(await stepsInTurns(comparison(side, side, wanted))), notes: seriesNotes(side) };
}
