/** Stacks of two runs side by side: places of the earlier run stand where their lines are in the later sources. */
import type { PythonPlace } from "../../massif/model.ts";
import type { SourceMatch } from "./sourceMatch.ts";

/**
 * A place of the earlier run by the lines of the later sources, so that `difference` (src/massif) puts the same line of
 * both into one node. A line that is gone is named as one of before, lest it meets another of its number.
 */
export function laterPlace(place: PythonPlace, match: Pick<SourceMatch, "toAfter">): PythonPlace {
  if (place.kind === "profiler") return place;
  const later = match.toAfter(place.path, place.line);
  if (later.kind === "elsewhere") return place;
  if (later.kind === "gone") return { ...place, path: `${place.path} (before)` };
  return { ...place, path: later.path, line: later.line };
}
