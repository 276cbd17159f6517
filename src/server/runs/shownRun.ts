/**
 * The one run that is shown. Nothing else keeps it: the figures, the notes on its ending and what is watched on disk all
 * follow it. The editor's own (src/editor/runs/shownRun.ts) is what the user asked for and was answered.
 */
import { defined } from "../../profile/defined.ts";
import type { Metric, Profile } from "../../profile/model.ts";
import { type RankView, ranksOf, seenBy, TOGETHER } from "../../profile/ranks/ranks.ts";
import type { RunReader } from "../../profile/run/runFolder.ts";
import { profileSince } from "../../profile/run/sinceMoment.ts";
import type { ComparedFolders } from "../../protocol/compare.ts";
import type { RunSummary } from "../../runs/model.ts";
import type { RunStore } from "./runStore.ts";
import { summaryOf } from "./summaryOf.ts";

export interface Shown {
  readonly folder: string;
  /** The run is one of the later side: what changed is shown. */
  readonly compared: ComparedFolders | undefined;
}

/** Which of the figures of lines are looked at. */
export interface ShownBy {
  readonly metric: Metric;
  readonly ranks: RankView;
  /** Of the shown run only what came after this moment, ms since it began. */
  readonly since?: number;
}

/** A run's figures since a moment of it. */
interface Later {
  readonly reader: RunReader;
  readonly ms: number;
  readonly read: () => Promise<Profile>;
}

export interface ShownRun {
  current(): Shown | undefined;
  /** What is wanted of every run, also while none is shown. */
  by(): ShownBy;
  /** The figures that are looked at: of the ranks that are wanted, of all together where the run lacks them. */
  profileOf(reader: RunReader): Promise<Profile>;
  /** With the moment after which its figures are, where it is shown so. */
  summary(reader: RunReader): Promise<RunSummary>;
  /**
   * A run that cannot be read leaves what was shown; so does one that is read after another was asked for.
   * @throws UserError where it cannot be read, `no-moments`
   */
  show(wanted: Shown, by: ShownBy): Promise<RunReader>;
  hide(by: ShownBy): void;
}

export function createShownRun(store: Pick<RunStore, "get" | "watch">): ShownRun {
  let current: Shown | undefined;
  let shownBy: ShownBy = { metric: "rss", ranks: TOGETHER };
  let asked = 0;
  /** Each request for a document asks, until the run or the choice is another. */
  const seen = new WeakMap<Profile, { readonly by: ShownBy; readonly as: Promise<Profile> }>();
  /** The shown run's, since the moment that is chosen. */
  let later: Later | undefined;

  const sinceOf = (folder: string): number | undefined => (folder === current?.folder ? shownBy.since : undefined);
  async function read(reader: RunReader): Promise<Profile> {
    const ms = sinceOf(reader.folder);
    if (ms === undefined) return reader.profile();
    later = laterOf(reader, ms);
    return await later.read();
  }
  /** Reads on where that moment of the run was read before. */
  const laterOf = (reader: RunReader, ms: number): Later =>
    later?.reader === reader && later.ms === ms ? later : { reader, ms, read: profileSince(reader, ms) };
  return {
    current: () => current,
    by: () => shownBy,
    summary: async (reader) => ({
      ...(await summaryOf(reader.folder, reader)),
      ...defined({ since: sinceOf(reader.folder) }),
    }),
    profileOf(reader) {
      const profile = reader.profile();
      const known = seen.get(profile);
      if (known?.by === shownBy) return known.as;
      const by = shownBy;
      const as = read(reader).then((found) => ofRanks(found, by));
      seen.set(profile, { by, as });
      return as;
    },
    async show(wanted, by) {
      const asking = ++asked;
      // Before it is read: what is added meanwhile is told of then.
      store.watch(wanted.folder);
      try {
        const reader = await store.get(wanted.folder);
        const since = by.since === undefined ? undefined : laterOf(reader, by.since);
        // A run without moments says so before it is shown.
        await since?.read();
        if (asking === asked) [current, shownBy, later] = [wanted, by, since];
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

function ofRanks(profile: Profile, { ranks, metric }: ShownBy): Profile {
  const isThere = ranks.kind !== "rank" || ranksOf(profile.run).includes(ranks.rank);
  return isThere ? seenBy(profile, ranks, metric) : profile;
}
