/** What the editor says of the kinds of memory that may stand beside the lines. Nothing of VS Code is needed for it. */
import { METRIC_NAMES } from "../../profile/lines/metric.ts";
import { METRICS, type Metric } from "../../profile/model.ts";
import { type RankView, TOGETHER } from "../../profile/ranks/ranks.ts";
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

/** All that can be looked at of a run with these ranks; none where it has none. */
export function rankViews(ranks: readonly number[]): readonly RankView[] {
  if (ranks.length === 0) return [];
  return [TOGETHER, { kind: "highest" }, { kind: "median" }, ...ranks.map((rank) => ({ kind: "rank" as const, rank }))];
}

export function rankText(view: RankView): string {
  switch (view.kind) {
    case "together":
      return t("all ranks");
    case "highest":
      return t("highest rank");
    case "median":
      return t("middle rank");
    case "rank":
      return t("rank {0}", view.rank);
  }
}

/** One sentence each. */
export function rankMeaning({ kind }: RankView): string {
  switch (kind) {
    case "together":
      return t("What all processes took is added up.");
    case "highest":
      return t("Of each line the rank that took the most there.");
    case "median":
      return t("Of each line the rank in the middle.");
    case "rank":
      return t("What this rank and the processes that it started took.");
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
