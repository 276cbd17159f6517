/** What is said of a function's calls, beside its first line and in the tree. Pure. */

import { metricPrefix } from "../../profile/lines/metric.ts";
import { hasEnded } from "../../profile/lines/totals.ts";
import type { Metric } from "../../profile/model.ts";
import { formatChange, formatCount, formatDuration } from "../../profile/text/format.ts";
import { t } from "../../words/t.ts";
import type { TreeFunction } from "../server.ts";

export type FunctionFigures = Pick<TreeFunction, "net" | "peak" | "timeNs" | "calls" | "unfinished">;

/** `+141.6 MiB net · +13.0 MiB peak of one call · 1.2 s · 64 calls`; `unfinished · at least +96.0 MiB · 1 call`. */
export function lensTitle(fn: FunctionFigures, metric: Metric): string {
  return parts(
    fn.net === undefined ? undefined : t("{0}{1} net", metricPrefix(metric), formatChange(fn.net)),
    fn.peak === undefined
      ? undefined
      : fn.calls > 1
        ? t("{0} peak of one call", formatChange(fn.peak))
        : t("{0} peak", formatChange(fn.peak)),
    fn,
    metric,
  ).join(" · ");
}

/** The same for the tree, where the figure comes first and 0 is left out: `+1.0 MiB`, `peak +4.0 MiB of one call`, … */
export function rowFigures(fn: FunctionFigures, metric: Metric): string[] {
  return parts(
    fn.net === undefined ? undefined : `${metricPrefix(metric)}${formatChange(fn.net)}`,
    fn.peak === undefined || fn.peak === 0
      ? undefined
      : fn.calls > 1
        ? t("peak {0} of one call", formatChange(fn.peak))
        : t("peak {0}", formatChange(fn.peak)),
    fn,
    metric,
  );
}

export const callsText = (calls: number): string => (calls === 1 ? t("1 call") : t("{0} calls", formatCount(calls)));

function parts(net: string | undefined, peak: string | undefined, fn: FunctionFigures, metric: Metric): string[] {
  const { calls, timeNs, unfinished } = fn;
  const count = callsText(calls);
  // Of the module level no calls are counted.
  if (!hasEnded(fn) || (calls === 0 && unfinished !== undefined)) {
    const least = unfinished?.atLeast ?? 0;
    return [
      t("unfinished"),
      ...(least > 0 ? [t("{0}at least {1}", metricPrefix(metric), formatChange(least))] : []),
      ...(calls === 0 ? [] : [count]),
    ];
  }
  const all = [
    net,
    peak,
    timeNs === undefined || timeNs === 0 ? undefined : formatDuration(timeNs / 1e6),
    calls === 0
      ? undefined
      : unfinished === undefined
        ? count
        : t("{0}, {1} unfinished", count, formatCount(unfinished.calls)),
  ];
  return all.filter((part) => part !== undefined);
}
