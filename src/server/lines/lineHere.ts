/** Where a run that goes on was when last heard of. Pure. */
import type { LineMap } from "../../compare/matching/lineMap.ts";
import type { Profile } from "../../profile/model.ts";
import type { PlacedSample } from "../../profile/run/runFolder.ts";
import { formatBytes } from "../../profile/text/format.ts";
import { elapsedText } from "../../protocol/run/progressText.ts";
import type { LineHere } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";

/**
 * The line of the main thread, where it is in this file. It says when that was: nobody knows here whether the board is
 * still followed.
 */
export function lineHere(
  { state, engine }: Pick<Profile["run"], "state" | "engine">,
  last: PlacedSample | undefined,
  path: string,
  map: LineMap,
): LineHere | undefined {
  if (state !== "running" || last?.at?.path !== path) return undefined;
  const place = map.toDocument(last.at.line);
  if (place === undefined) return undefined;
  const when = t("here at {0}", elapsedText(last.t));
  const whose = engine.name === "massif" ? t("script and valgrind") : "RSS";
  return { line: place.line, text: last.rss === undefined ? when : `${when} · ${whose} ${formatBytes(last.rss)}` };
}
