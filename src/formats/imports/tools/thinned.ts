/** A timeline in the number of samples that views can handle. */

import type { Sample } from "../../../profile/samples/samples.ts";
import { formatCount } from "../../../profile/text/format.ts";
import { t } from "../../../words/t.ts";

/** Up to here all are kept. */
export const MOST_SAMPLES = 100_000;
/** Of thinned ones, each with up to two measurements. */
const MOST_STRETCHES = MOST_SAMPLES / 2 - 1;

export interface Measurement<T> {
  /** How many came before it. */
  readonly position: number;
  /** Bytes. */
  readonly rss: number;
  readonly item: T;
}

/** Measurements that came one after the other: their lowest and their highest. */
interface Stretch<T> {
  readonly low: Measurement<T>;
  readonly high: Measurement<T>;
}

export interface Thinning<T> {
  add(rss: number, item: T): void;
  /** How many were added. */
  count(): number;
  /** In the order they came. */
  kept(): readonly Measurement<T>[];
}

/**
 * Keeps the first, the last, and of each stretch the lowest and the highest, while they come: a log of days has more
 * than fit into memory. Stretches are of equal counts, which double when there are too many of them.
 */
export function createThinning<T>(): Thinning<T> {
  let stretches: Stretch<T>[] = [];
  let length = 1;
  let inLast = 0;
  let count = 0;
  let first: Measurement<T> | undefined;
  let last: Measurement<T> | undefined;
  return {
    add(rss, item) {
      last = { position: count++, rss, item };
      first ??= last;
      const alone = { low: last, high: last };
      const open = inLast < length ? stretches.at(-1) : undefined;
      if (open === undefined) stretches.push(alone);
      else stretches[stretches.length - 1] = merged(open, alone);
      inLast = open === undefined ? 1 : inLast + 1;
      while (stretches.length > (length === 1 ? MOST_SAMPLES : MOST_STRETCHES)) {
        // Of an odd number the last stays alone, and has room for as many again.
        if (stretches.length % 2 === 0) inLast += length;
        stretches = paired(stretches);
        length *= 2;
      }
    },
    count: () => count,
    kept() {
      const ends = [first, last].filter((end) => end !== undefined);
      const all = new Set([...stretches.flatMap(({ low, high }) => [low, high]), ...ends]);
      return [...all].sort((a, b) => a.position - b.position);
    },
  };
}

function merged<T>(a: Stretch<T>, b: Stretch<T>): Stretch<T> {
  return { low: b.low.rss < a.low.rss ? b.low : a.low, high: b.high.rss > a.high.rss ? b.high : a.high };
}

function paired<T>(stretches: readonly Stretch<T>[]): Stretch<T>[] {
  const pairs: Stretch<T>[] = [];
  for (let at = 0; at < stretches.length; at += 2) {
    const [a, b] = [stretches[at], stretches[at + 1]];
    if (a !== undefined) pairs.push(b === undefined ? a : merged(a, b));
  }
  return pairs;
}

/** @param all in the order of their times */
export function thinned(all: readonly (Sample & { readonly rss: number })[]): {
  readonly samples: readonly Sample[];
  readonly notes: readonly string[];
} {
  const thinning = createThinning<Sample>();
  for (const sample of all) thinning.add(sample.rss, sample);
  const samples = withPeaks(thinning.kept().map(({ item }) => item));
  return { samples, notes: thinnedNotes(all.length, samples.length) };
}

/** Each sample with the highest figure up to it. */
export function withPeaks(samples: readonly Sample[]): readonly Sample[] {
  let highest: number | undefined;
  return samples.map((sample) => {
    if (sample.rss !== undefined) highest = Math.max(highest ?? 0, sample.rss);
    return highest === undefined ? sample : { ...sample, rssPeak: Math.max(highest, sample.rssPeak ?? 0) };
  });
}

/** @returns empty where all were kept */
export function thinnedNotes(count: number, kept: number): readonly string[] {
  if (kept === count) return [];
  return [
    t(
      "Of {0} measurements {1} were kept: the first, the last, and the lowest and the highest of each stretch between.",
      formatCount(count),
      formatCount(kept),
    ),
  ];
}
