/** What the editor says of the kinds of memory that may stand beside the lines. Nothing of VS Code is needed for it. */
import { METRIC_NAMES } from "../../profile/lines/metric.ts";
import { METRICS, type Metric } from "../../profile/model.ts";
import type { RunSummary } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";

/** One sentence each. */
export function metricMeaning(metric: Metric): string {
  switch (metric) {
    case "rss":
      return t("The process's own memory. On a Jetson it does not hold CUDA memory.");
    case "cuda":
      return t("What PyTorch's CUDA allocator handed out to tensors.");
    case "system":
      return t("The whole board's memory in use, whoever took it.");
  }
}

/** The one after `shown` of those that the run has, the first after the last. */
export function nextMetric({ metrics }: Pick<RunSummary, "metrics">, shown: Metric): Metric {
  const had = METRICS.filter((metric) => metrics.includes(metric));
  return had[(had.indexOf(shown) + 1) % had.length] ?? "rss";
}

/**
 * Why RSS is shown where something else is wanted; undefined where nothing needs to be said. A run that goes on may
 * still get it, and one under massif has figures of its own.
 */
export function fallbackText(
  { title, metrics, state, massif }: Pick<RunSummary, "title" | "metrics" | "state" | "massif">,
  wanted: Metric,
): string | undefined {
  if (metrics.includes(wanted) || massif || state === "running") return undefined;
  const reason =
    wanted === "cuda" ? t("PyTorch did not use CUDA in it, or could not be asked") : t("they were not read");
  return t("{0} has no {1} figures of its lines ({2}), so RSS is shown.", title, METRIC_NAMES[wanted], reason);
}
