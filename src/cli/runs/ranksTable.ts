/** What each rank of a run came to, as a table. */
import type { Paint } from "../../profile/lines/annotate.ts";
import type { Profile } from "../../profile/model.ts";
import { type RankSummary, rankSummaries } from "../../profile/ranks/rankSummary.ts";
import { formatBytes, formatChange, UNKNOWN } from "../../profile/text/format.ts";
import { aligned } from "../../profile/text/table.ts";
import { printable } from "../../profile/text/text.ts";
import { phrase, say, t } from "../../words/t.ts";

const HEADINGS = [phrase("Peak RSS"), phrase("Its lines took"), phrase("Rank"), phrase("Its heaviest line")];
const FIGURES = 2;

/** None where the run has no ranks. */
export function ranksTable(profile: Profile, paint: Paint): string[] {
  const summaries = rankSummaries(profile);
  if (summaries.length === 0) return [];
  const [heading = "", ...rows] = aligned([HEADINGS.map(say), ...summaries.map(cells)], FIGURES);
  const all = profile.run.processes.find(({ ranks }) => ranks !== undefined)?.ranks ?? summaries.length;
  const title = summaries.length < all ? t("Ranks on this board, {0} of {1}", summaries.length, all) : t("Ranks");
  const note = t("The peak is of one process; what a rank starts, as workers that load data, counts with its lines.");
  return [[paint.strong(title), paint.faint(heading), ...rows, paint.faint(note)].join("\n")];
}

function cells({ rank, processes, rssPeak, taken, heaviest }: RankSummary): string[] {
  const name = processes > 1 ? t("{0}, {1} processes", rank, processes) : String(rank);
  return [
    rssPeak === undefined ? UNKNOWN : formatBytes(rssPeak),
    taken === undefined ? UNKNOWN : formatChange(taken),
    name,
    heaviest === undefined ? UNKNOWN : printable(`${heaviest.path}:${heaviest.line}  ${formatChange(heaviest.self)}`),
  ];
}
