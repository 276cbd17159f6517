/** What the chart and the readout need to know of the samples; no drawing. */
import { bisectCenter, greatest } from "d3-array";
import { formatBytes, formatDuration } from "../../src/profile/text/format.ts";
import type { Place, Sample, Timeline } from "../../src/protocol/timeline.ts";
import { t } from "../../src/words/t.ts";

export type Metric = "rss" | "memAvailable";

export const METRIC_NAMES: Readonly<Record<Metric, () => string>> = {
  rss: () => t("Memory of the script (RSS)"),
  memAvailable: () => t("Available on the board"),
};

/** Samples in the order of time, one for each moment (the last wins). */
export function inOrder(samples: readonly Sample[]): readonly Sample[] {
  const sorted = [...samples].sort((a, b) => a.t - b.t);
  return sorted.filter((sample, i) => sorted[i + 1]?.t !== sample.t);
}

/** Index of the moment nearest to a time; -1 when there is none. */
export function nearest(moments: readonly number[], time: number): number {
  return moments.length === 0 ? -1 : bisectCenter(moments, time);
}

/** Index of the highest RSS; -1 when RSS was never read. */
export function peakIndex(samples: readonly Sample[]): number {
  const peak = greatest(samples, (sample) => sample.rss ?? Number.NEGATIVE_INFINITY);
  return peak?.rss === undefined ? -1 : samples.indexOf(peak);
}

/** A peak that is higher than the highest sample by less is drawn there, with its own figure. */
const NEARLY = 1.01;

/** The run's peak where it lies between the samples, so that none of them shows it. */
export function missedPeak({ samples, rssPeak }: Pick<Timeline, "samples" | "rssPeak">): number | undefined {
  if (rssPeak === undefined) return undefined;
  const seen = samples[peakIndex(samples)]?.rss ?? 0;
  return rssPeak > seen * NEARLY ? rssPeak : undefined;
}

/** Bytes of the run's highest RSS, whether a sample shows it or not. */
export function peakBytes({ samples, rssPeak }: Pick<Timeline, "samples" | "rssPeak">): number | undefined {
  const seen = samples[peakIndex(samples)]?.rss;
  return seen === undefined || rssPeak === undefined ? (seen ?? rssPeak) : Math.max(seen, rssPeak);
}

/** Index of the moment of the peak, of the read one next to it where it lies between two; -1 where it is not known. */
export function peakMoment(timeline: Pick<Timeline, "samples" | "rssPeak" | "peakReached">): number {
  const { samples, peakReached } = timeline;
  if (missedPeak(timeline) === undefined || peakReached === undefined) return peakIndex(samples);
  const read = samples.filter(({ rss }) => rss !== undefined);
  const found =
    read[
      nearest(
        read.map(({ t: moment }) => moment),
        peakReached.until,
      )
    ];
  return found === undefined ? -1 : samples.indexOf(found);
}

/** Moments one after another at which the same line ran, by their first and last index. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
  /** `train.py:33`. */
  readonly text: string;
}

export function stretches(samples: readonly Sample[]): readonly Stretch[] {
  const found: { first: number; last: number; text: string }[] = [];
  for (const [index, { at }] of samples.entries()) {
    if (at === undefined) continue;
    const text = `${at.path}:${at.line}`;
    const before = found.at(-1);
    if (before?.text === text && before.last === index - 1) before.last = index;
    else found.push({ first: index, last: index, text });
  }
  return found;
}

export type Coverage = "all" | "some" | "none";

/** How much of a metric was read. */
export function coverage(samples: readonly Sample[], metric: Metric): Coverage {
  const read = samples.filter((sample) => sample[metric] !== undefined).length;
  if (read === 0) return "none";
  return read === samples.length ? "all" : "some";
}

/** Where the cursor goes for a key; undefined when the key is not one of the chart's. */
export function moveCursor(key: string, index: number, count: number, peak: number): number | undefined {
  const page = Math.max(1, Math.round(count / 20));
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    PageUp: index - page,
    PageDown: index + page,
    Home: 0,
    End: count - 1,
    p: peak === -1 ? index : peak,
  };
  const next = moves[key.length === 1 ? key.toLowerCase() : key];
  return next === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, next));
}

export const figure = (bytes: number | undefined): string => (bytes === undefined ? t("not read") : formatBytes(bytes));

export const placeText = (place: Place | undefined): string =>
  place === undefined ? t("line not known") : t("{0}, line {1}", place.path, place.line);

/** A moment of the run, `0 s` at its start. */
export const timeText = (ms: number): string => (ms === 0 ? "0 s" : formatDuration(ms));

/** The heading of `rss`. */
export function memoryName({ measure }: Pick<Timeline, "measure">): string {
  return measure === undefined ? METRIC_NAMES.rss() : measure.charAt(0).toUpperCase() + measure.slice(1);
}

/**
 * One sample in words, as the readout shows it and a screen reader says it.
 * @param memory what `rss` is called: RSS, or of another tool's run nothing more than memory
 */
export function describe(sample: Sample, memory = "RSS"): string {
  return [
    timeText(sample.t),
    `${memory} ${figure(sample.rss)}`,
    t("available {0}", figure(sample.memAvailable)),
    placeText(sample.at),
  ].join(" · ");
}
