/**
 * The one run that is shown. Nothing else keeps it: the figures, the notes on its ending and what is watched on disk all
 * follow it. The editor's own (src/editor/runs/shownRun.ts) is what the user asked for and was answered.
 */
import type { Metric, Profile } from "../../profile/model.ts";
import { type RankView, ranksOf, seenBy, TOGETHER } from "../../profile/ranks/ranks.ts";
import type { RunReader } from "../../profile/run/runFolder.ts";
import type { ComparedFolders } from "../../protocol/compare.ts";
import type { RunStore } from "./runStore.ts";

export interface Shown {
  readonly folder: string;
  /** The run is one of the later side: what changed is shown. */
  readonly compared: ComparedFolders | undefined;
}

/** Which of the figures of lines are looked at. */
export interface ShownBy {
  readonly metric: Metric;
  readonly ranks: RankView;
}

/** Each request for a document asks, until the run or the choice is another. */
const seen = new WeakMap<Profile, { readonly by: ShownBy; readonly as: Profile }>();

/** The profile of the ranks that are looked at; of all together where the run lacks them. */
export function asShown(profile: Profile, by: ShownBy): Profile {
  const known = seen.get(profile);
  if (known?.by === by) return known.as;
  const { ranks, metric } = by;
  const isThere = ranks.kind !== "rank" || ranksOf(profile.run).includes(ranks.rank);
  const as = isThere ? seenBy(profile, ranks, metric) : profile;
  seen.set(profile, { by, as });
  return as;
}

export interface ShownRun {
  current(): Shown | undefined;
  /** What is wanted of every run, also while none is shown. */
  by(): ShownBy;
  /**
   * A run that cannot be read leaves what was shown; so does one that is read after another was asked for.
   * @throws UserError where it cannot be read
   */
  show(wanted: Shown, by: ShownBy): Promise<RunReader>;
  hide(by: ShownBy): void;
}

export function createShownRun(store: Pick<RunStore, "get" | "watch">): ShownRun {
  let current: Shown | undefined;
  let shownBy: ShownBy = { metric: "rss", ranks: TOGETHER };
  let asked = 0;
  return {
    current: () => current,
    by: () => shownBy,
    async show(wanted, by) {
      const asking = ++asked;
      // Before it is read: what is added meanwhile is told of then.
      store.watch(wanted.folder);
      try {
        const reader = await store.get(wanted.folder);
        if (asking === asked) [current, shownBy] = [wanted, by];
        return reader;
      } catch (error) {
        if (asking === asked) store.watch(current?.folder);
        throw error;
      }
    },
    hide(by) {
      asked += 1;
      [current, shownBy] = [undefined, by];
      store.watch(undefined);
    },
  };
}
