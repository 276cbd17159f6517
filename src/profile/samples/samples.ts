/** samples.jsonl: the timeline of a run. docs/run-folder.md has the format. */
import { checkSchema, isAmount, isIndex, parseObject } from "../files/jsonRecords.ts";

/** One moment: bytes, `t` in milliseconds since the start, `at` the main thread's [file number, line]. */
export interface Sample {
  readonly t: number;
  readonly hits?: number;
  readonly rss?: number;
  readonly rssPeak?: number;
  readonly memAvailable?: number;
  readonly at?: readonly [number, number];
}

/**
 * One line of the file; undefined for the header and for what cannot be read.
 * @param file the path shown in errors
 * @throws UserError `schema-too-new`, `run-damaged`
 */
export function decodeSample(line: string, file: string): Sample | undefined {
  const record = parseObject(line);
  if (record === undefined) return undefined;
  if (record["record"] === "header") {
    checkSchema(record, file);
    return undefined;
  }
  return sampleOf(record);
}

/** Figure by figure, as a timeline has hundreds of thousands: a schema takes several times as long. */
function sampleOf(record: Readonly<Record<string, unknown>>): Sample | undefined {
  const { t, hits, rss, rss_peak: rssPeak, mem_available: memAvailable, at } = record;
  if (!isAmount(t)) return undefined;
  if (!isFigure(hits) || !isFigure(rss) || !isFigure(rssPeak) || !isFigure(memAvailable) || !isPlace(at)) {
    return undefined;
  }
  const sample: { -readonly [Key in keyof Sample]: Sample[Key] } = { t };
  if (hits != null) sample.hits = hits;
  if (rss != null) sample.rss = rss;
  if (rssPeak != null) sample.rssPeak = rssPeak;
  if (memAvailable != null) sample.memAvailable = memAvailable;
  if (at != null) sample.at = at;
  return sample;
}

function isFigure(value: unknown): value is number | null | undefined {
  return value == null || isAmount(value);
}

function isPlace(value: unknown): value is readonly [number, number] | null | undefined {
  return value == null || (Array.isArray(value) && value.length >= 2 && isIndex(value[0]) && isIndex(value[1]));
}

/** The highest RSS of the main process so far. */
export function highestRss(a: number | undefined, sample: Pick<Sample, "rss" | "rssPeak">): number | undefined {
  const here = sample.rssPeak ?? sample.rss;
  return here === undefined ? a : Math.max(a ?? 0, here);
}

/** The highest RSS of the main process was reached after the one sample and until the other; `t` of each. */
export interface PeakStretch {
  readonly after: number;
  readonly until: number;
}

/** Undefined where no RSS was read. */
export function peakStretch(samples: readonly Omit<Sample, "at">[]): PeakStretch | undefined {
  const highest = samples.reduce(highestRss, undefined as number | undefined);
  const at = samples.findIndex((sample) => highest !== undefined && (highestRss(undefined, sample) ?? 0) >= highest);
  const until = samples[at]?.t;
  return until === undefined ? undefined : { after: samples[at - 1]?.t ?? Math.min(0, until), until };
}

/**
 * At most `maxPoints` samples that keep the first, the last, and in each stretch of time the lowest and the highest
 * RSS and MemAvailable.
 */
export function thinSamples<T extends Pick<Sample, "rss" | "memAvailable">>(
  samples: readonly T[],
  maxPoints: number,
): readonly T[] {
  if (samples.length <= maxPoints) return samples;
  const stretches = Math.max(1, Math.floor((maxPoints - 2) / 4));
  const kept = new Set<number>([0, samples.length - 1]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * samples.length) / stretches);
    const to = Math.floor(((stretch + 1) * samples.length) / stretches);
    for (const position of extremes(samples, from, to)) kept.add(position);
  }
  return [...kept].sort((a, b) => a - b).flatMap((position) => samples[position] ?? []);
}

/** Of time, milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/**
 * As thinSamples of those within `closer`, for who looks at that part of the time; of the others far fewer, together at
 * most half of `maxPoints`.
 */
export function thinAround<T extends Pick<Sample, "t" | "rss" | "memAvailable">>(
  samples: readonly T[],
  maxPoints: number,
  { from, until }: TimeRange,
): readonly T[] {
  const rest = Math.floor(maxPoints / 4);
  return [
    ...thinSamples(
      samples.filter(({ t }) => t < from),
      rest,
    ),
    ...thinSamples(
      samples.filter(({ t }) => t >= from && t <= until),
      maxPoints,
    ),
    ...thinSamples(
      samples.filter(({ t }) => t > until),
      rest,
    ),
  ];
}

function extremes(samples: readonly Pick<Sample, "rss" | "memAvailable">[], from: number, to: number): number[] {
  const found: number[] = [];
  for (const key of ["rss", "memAvailable"] as const) {
    let low = -1;
    let high = -1;
    for (let i = from; i < to; i++) {
      const value = samples[i]?.[key];
      if (value === undefined) continue;
      if (low < 0 || value < (samples[low]?.[key] ?? 0)) low = i;
      if (high < 0 || value > (samples[high]?.[key] ?? 0)) high = i;
    }
    if (low >= 0) found.push(low, high);
  }
  return found;
}
