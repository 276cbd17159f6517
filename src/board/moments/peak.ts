/** The moment of a run that matters most. */
import { type Phrase, phrase, say } from "../../words/t.ts";

/** What is known of one moment while a run was on. Bytes. */
export interface PeakFigures {
  /** RSS of the run's processes. */
  readonly rss: number | undefined;
  /** All of NvMap in use, where it can be read. */
  readonly nvmap: number | undefined;
  readonly memAvailable: number | undefined;
  /** The GPU uses the board's RAM. */
  readonly sharedGpu: boolean;
}

/**
 * `held`: when the run held the most, by RSS and NvMap. `available`: when the least memory was available, where the
 * GPU uses the RAM and NvMap cannot be read: RSS does not show what is on the GPU.
 */
export type PeakKind = "held" | "available";

const PEAK_WORDS: Readonly<Record<PeakKind, Phrase>> = {
  held: phrase("when this run held the most"),
  available: phrase("when the least memory was available"),
};

export const peakWords = (kind: PeakKind): string => say(PEAK_WORDS[kind]);

export interface Peak {
  add(moment: number, figures: PeakFigures): void;
  found(): { readonly moment: number; readonly kind: PeakKind } | undefined;
  /** The moment with the least memory available. */
  leastAvailable(): number | undefined;
}

interface Best {
  readonly moment: number;
  readonly value: number;
  /** No moment before it is as high. */
  readonly first: boolean;
}

export function createPeak(): Peak {
  let rssAndNvmap: Best | undefined;
  let rss: Best | undefined;
  let leastAvailable: Best | undefined;
  let sharedGpu = false;
  return {
    add(moment, figures) {
      sharedGpu ||= figures.sharedGpu;
      if (figures.rss !== undefined) rss = higher(rss, moment, figures.rss);
      if (figures.rss !== undefined && figures.nvmap !== undefined) {
        rssAndNvmap = higher(rssAndNvmap, moment, figures.rss + figures.nvmap);
      }
      if (figures.memAvailable !== undefined) leastAvailable = higher(leastAvailable, moment, -figures.memAvailable);
    },
    found() {
      const held = rssAndNvmap ?? (sharedGpu && leastAvailable !== undefined ? undefined : rss);
      if (held !== undefined) return { moment: held.moment, kind: "held" };
      return leastAvailable && { moment: leastAvailable.moment, kind: "available" };
    },
    leastAvailable: () => leastAvailable?.moment,
  };
}

/** The first of those that are highest or, if the next is as high, that: while the first was read, some was still to come. */
function higher(best: Best | undefined, moment: number, value: number): Best {
  if (best === undefined || value > best.value) return { moment, value, first: true };
  return value === best.value && best.first && moment === best.moment + 1 ? { moment, value, first: false } : best;
}
