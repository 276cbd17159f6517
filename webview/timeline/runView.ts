/** A run as the page shows it: the script's memory above, the board's below. */
import { max } from "d3-array";
import { formatBytes } from "../../src/profile/format.ts";
import type { Timeline } from "../../src/protocol/timeline.ts";
import { coverage, describe, inOrder, METRIC_NAMES, type Metric, missedPeak, peakIndex } from "./series.ts";
import { samplesTable } from "./table.ts";
import type { Peak, PlotContent, View } from "./view.ts";

const METRICS: readonly Metric[] = ["rss", "memAvailable"];

export function runView(told: Timeline): View {
  const timeline = { ...told, samples: inOrder(told.samples) };
  const { samples } = timeline;
  const peak = peakIndex(samples);
  return {
    title: timeline.title,
    status: timeline.finished ? "" : "The run goes on; new samples appear by themselves.",
    chart: {
      t: samples.map(({ t }) => t),
      steps: false,
      plots: METRICS.map((metric) => plotOf(timeline, metric)),
    },
    peak,
    hasGaps: METRICS.some((metric) => coverage(samples, metric) !== "all"),
    readout: (index) => describe(samples[index] ?? { t: 0 }),
    place: (index) => samples[index]?.at,
    table: (onGoTo) => samplesTable(samples, peak, onGoTo),
  };
}

function plotOf(timeline: Timeline, metric: Metric): PlotContent {
  const { samples, memTotal, rssPeak } = timeline;
  const highest = max(samples, (sample) => sample[metric]) ?? 0;
  const bound = metric === "rss" ? rssPeak : memTotal;
  const total = metric === "memAvailable" && memTotal !== undefined ? ` (of ${formatBytes(memTotal)})` : "";
  const peak = metric === "rss" ? peakOf(timeline) : undefined;
  const empty = samples.length === 0 ? "no samples yet" : "not read in this run";
  return {
    name: METRIC_NAMES[metric] + total,
    series: [{ look: metric, values: samples.map((sample) => sample[metric]) }],
    low: 0,
    high: Math.max(highest, bound ?? 0, 1),
    ...(peak === undefined ? {} : { peak }),
    ...(coverage(samples, metric) === "none" ? { empty } : {}),
  };
}

function peakOf(timeline: Timeline): Peak | undefined {
  const missed = missedPeak(timeline);
  if (missed !== undefined) {
    return { kind: "level", value: missed, text: `peak ${formatBytes(missed)}, between two samples` };
  }
  const index = peakIndex(timeline.samples);
  const { rss, at } = timeline.samples[index] ?? {};
  if (rss === undefined) return undefined;
  return { kind: "moment", index, value: rss, text: `peak ${formatBytes(rss)}${at ? ` · ${at.path}:${at.line}` : ""}` };
}
