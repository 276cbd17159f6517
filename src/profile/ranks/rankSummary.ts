/** What each rank of a run came to. Pure. */
import { fileNet } from "../lines/totals.ts";
import type { Profile } from "../model.ts";
import { tablesByRank } from "./ranks.ts";

export interface RankSummary {
  readonly rank: number;
  /** Its own and those that it started. */
  readonly processes: number;
  /** The highest RSS of one of them, bytes; absent where it is not known, as while the run goes on. */
  readonly rssPeak?: number;
  /** What the project's lines took in all of them; absent where nothing was measured. */
  readonly taken?: number;
  /** The line that took the most itself. */
  readonly heaviest?: { readonly path: string; readonly line: number; readonly self: number };
}

/** Of each rank of the run, ascending; empty where it has none. */
export function rankSummaries(profile: Pick<Profile, "run" | "byProcess">): readonly RankSummary[] {
  return [...tablesByRank(profile)].map(([rank, files]) => {
    const own = profile.run.processes.filter((process) => process.rank === rank);
    const peaks = own.flatMap(({ rssPeak }) => rssPeak ?? []);
    const nets = files.flatMap((file) => fileNet(file) ?? []);
    const lines = files.flatMap(({ path, lines }) =>
      lines.flatMap(({ line, self }) => (self === undefined ? [] : { path, line, self })),
    );
    const [first, ...others] = lines;
    return {
      rank,
      processes: own.length,
      ...(peaks.length > 0 && { rssPeak: Math.max(...peaks) }),
      ...(nets.length > 0 && { taken: nets.reduce((sum, net) => sum + net, 0) }),
      ...(first !== undefined && { heaviest: others.reduce((a, b) => (b.self > a.self ? b : a), first) }),
    };
  });
}
