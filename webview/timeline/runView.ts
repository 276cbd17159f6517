/** A run as the page shows it: the script's memory above, the board's below. */
import { max } from "d3-array";
import { defined } from "../../src/profile/defined.ts";
import { formatBytes } from "../../src/profile/text/format.ts";
import type { Timeline } from "../../src/protocol/timeline.ts";
import { t } from "../../src/words/t.ts";
import {
  coverage,
  describe,
  inOrder,
  METRIC_NAMES,
  type Metric,
  memoryName,
  missedPeak,
  peakBytes,
  peakIndex,
  peakMoment,
  stretches,
  timeText,
} from "./series.ts";
import { samplesTable } from "./table.ts";
import type { Peak, PlotContent, View } from "./view.ts";

const METRICS: readonly Metric[] = ["rss", "memAvailable"];

export function runView(told: Timeline): View {
  const timeline = { ...told, samples: inOrder(told.samples) };
  const { samples } = timeline;
  return {
    title: timeline.title,
    status: timeline.finished ? "" : t("The run is in progress; new samples appear by themselves."),
    ...(told.measure === undefined ? {} : { memory: memoryName(told) }),
    chart: {
      t: samples.map((sample) => sample.t),
      steps: false,
      plots: METRICS.map((metric) => plotOf(timeline, metric)),
      stretches: stretches(samples),
    },
    peak: peakMoment(timeline),
    hasGaps: METRICS.some((metric) => coverage(samples, metric) !== "all"),
    readout: (index) => describe(samples[index] ?? { t: 0 }, told.measure === undefined ? "RSS" : t("memory")),
    place: (index) => samples[index]?.at,
    table: (onGoTo) =>
      samplesTable(
        samples,
        missedPeak(timeline) === undefined ? { index: peakIndex(samples), bytes: peakBytes(timeline) } : undefined,
        memoryName(told),
        onGoTo,
      ),
  };
}

function plotOf(timeline: Timeline, metric: Metric): PlotContent {
  const { samples, memTotal, rssPeak } = timeline;
  const highest = max(samples, (sample) => sample[metric]) ?? 0;
  const bound = metric === "rss" ? rssPeak : memTotal;
  const name = metric === "rss" ? memoryName(timeline) : METRIC_NAMES[metric]();
  const peak = metric === "rss" ? peakOf(timeline) : undefined;
  const empty = samples.length === 0 ? t("no samples yet") : t("not read in this run");
  return {
    name: metric === "memAvailable" && memTotal !== undefined ? t("{0} (of {1})", name, formatBytes(memTotal)) : name,
    series: [{ look: metric, values: samples.map((sample) => sample[metric]) }],
    low: 0,
    high: Math.max(highest, bound ?? 0, 1),
    ...defined({ peak }),
    ...(coverage(samples, metric) === "none" ? { empty } : {}),
  };
}

function peakOf(timeline: Timeline): Peak | undefined {
  const missed = missedPeak(timeline);
  if (missed !== undefined) {
    return { kind: "level", value: missed, text: missedText(formatBytes(missed), timeline.peakReached) };
  }
  const index = peakIndex(timeline.samples);
  const { rss, at } = timeline.samples[index] ?? {};
  if (rss === undefined) return undefined;
  return {
    kind: "moment",
    index,
    value: rss,
    text: [t("peak {0}", formatBytes(peakBytes(timeline) ?? rss)), ...(at ? [`${at.path}:${at.line}`] : [])].join(
      " · ",
    ),
  };
}

function missedText(size: string, reached: Timeline["peakReached"]): string {
  return reached === undefined
    ? t("peak {0}, between two samples", size)
    : t("peak {0}, between the samples at {1} and {2}", size, timeText(reached.after), timeText(reached.until));
}
