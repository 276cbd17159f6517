/**
 * A profile by what the user looks at: the same shape with another measure's figures in it, so that all that reads
 * figures serves each. docs/run-folder.md says what each measures.
 */
import { present } from "../files/jsonRecords.ts";
import { type FileProfile, type LineRow, METRICS, type Metric, type Profile } from "../model.ts";
import { functionNet, hasEnded, linesByFunction } from "./totals.ts";

/** As people read it in a label or a heading. */
export const METRIC_NAMES: Readonly<Record<Metric, string>> = { rss: "RSS", cuda: "CUDA", system: "board" };

export function isMetric(value: unknown): value is Metric {
  return METRICS.some((metric) => metric === value);
}

/** Before a figure: figures of RSS, as most are, stand alone. */
export function metricPrefix(metric: Metric): string {
  return metric === "rss" ? "" : `${METRIC_NAMES[metric]} `;
}

/** The metric where the run has it, else RSS. */
export function metricOf(has: Iterable<Metric>, wanted: Metric): Metric {
  return [...has].includes(wanted) ? wanted : "rss";
}

/** The profile as `metric`, which it has, tells it. What the metric does not know, such as the board's peak by line, is absent. */
export function byMetric(profile: Profile, metric: Metric): Profile {
  if (metric === "rss") return profile;
  return { ...profile, files: profile.files.map((file) => fileByMetric(file, metric)) };
}

export function fileByMetric(file: FileProfile, metric: Metric): FileProfile {
  if (metric === "rss") return file;
  const lines = file.lines.map((row) => rowByMetric(row, metric));
  const parts = new Map(linesByFunction({ ...file, lines }).map((part) => [part.row, part]));
  // A function's own totals are of RSS; of another measure it took what its lines took.
  const functions = file.functions.map((row) => {
    const { net: _net, peak: _peak, ...counts } = row;
    const part = parts.get(row);
    return present({
      ...counts,
      net:
        part && hasEnded(row) ? functionNet({ name: part.name, defLine: part.defLine, lines: part.lines }) : undefined,
    });
  });
  return { ...file, lines, functions };
}

function rowByMetric({ line, hits, cuda, system }: LineRow, metric: "cuda" | "system"): LineRow {
  if (metric === "system") {
    return present({ line, hits, net: system?.net, self: system?.self, uncertain: system?.uncertain });
  }
  const { net, self, maxIncrement, peak, uncertain } = cuda ?? {};
  return present({ line, hits, net, self, maxIncrement, peak, uncertain });
}
