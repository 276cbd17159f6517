/** What a run under massif is asked for, whoever asks. Pure. */
import { importLines } from "../../profile/lines/importLines.ts";
import { MASSIF_DEFAULTS } from "../../profile/massifDefaults.ts";
import type { MassifRequest } from "./run.ts";

/** What a person chooses of it. */
export type MassifSettings = Pick<MassifRequest, "threshold" | "pagesAsHeap" | "gpu" | "frames">;

/** @param expected of the script's last run by the line engine */
export function massifRequestOf(
  { threshold, pagesAsHeap, gpu, frames }: MassifSettings,
  lines: MassifRequest["lines"],
  expected: MassifRequest["expected"],
): MassifRequest {
  const { depth, maxHits } = MASSIF_DEFAULTS;
  const request = { threshold, depth, pagesAsHeap, gpu, frames, maxHits, lines };
  return expected === undefined ? request : { ...request, expected };
}

/** Without an earlier run: imports, whose many small allocations the stacks name least. */
export function importPlaces(path: string, source: string, count: number): MassifRequest["lines"] {
  return importLines(source)
    .slice(0, count)
    .map((line) => ({ path, line }));
}
