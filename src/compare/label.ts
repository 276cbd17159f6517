/** A difference as people read it: short beside a line, and in whole sentences. */

import { METRIC_NAMES, metricPrefix } from "../profile/lines/metric.ts";
import { formatBytes, formatChange, inUnit, sizeUnit } from "../profile/text/format.ts";
import { t } from "../words/t.ts";
import type { ComparedLine, ComparedMetric, Difference, Noise } from "./model.ts";
import { changeOf } from "./noise.ts";

/** As people read it in a heading. */
export const COMPARED_NAMES: Readonly<Record<ComparedMetric, string>> = { ...METRIC_NAMES, heap: "heap" };

/** Before a figure: figures of RSS, as most are, stand alone. */
export function comparedPrefix(metric: ComparedMetric): string {
  return metric === "heap" ? "heap " : metricPrefix(metric);
}

/** `10.0 → 12.0 MiB (+2.0)`; `≈ 12.0 MiB` for what is within the noise; empty where nothing was taken or known. */
export function changeLabel(difference: Difference): string {
  const { verdict, before, after } = difference;
  const change = changeOf(difference);
  if (change !== undefined) {
    if (verdict === "only-after") return t("new: {0}", formatChange(change));
    if (verdict === "only-before") return t("gone: {0} before", formatChange(-change));
    return changed(before?.median ?? 0, after?.median ?? 0, change);
  }
  if (verdict === "unknown") return isNothing(after?.median) ? "" : `unknown → ${formatBytes(after?.median ?? 0)}`;
  return isNothing(after?.median) && isNothing(before?.median) ? "" : `≈ ${formatBytes(after?.median ?? 0)}`;
}

/** For a table's cell: `+2.0 MiB`, `none` where it is within the noise. */
export function changeText(difference: Difference, formatted: (change: number) => string = formatChange): string {
  const change = changeOf(difference);
  if (change !== undefined) return formatted(change);
  return difference.verdict === "unknown" ? t("unknown") : t("none");
}

/** Both in the unit of the larger, so that they can be compared at a glance: `10.0 → 12.0 MiB`. */
export function sidesText(before: number, after: number): string {
  const unit = sizeUnit(Math.max(Math.abs(before), Math.abs(after)));
  return `${inUnit(before, unit)} → ${inUnit(after, unit)} ${unit.name}`;
}

/** The same with the change: `10.0 → 12.0 MiB (+2.0)`. */
export function changed(before: number, after: number, change: number): string {
  const difference = inUnit(change, sizeUnit(Math.max(Math.abs(before), Math.abs(after))));
  // A change too small for the unit is told in its own.
  const text = Number(difference) === 0 ? formatChange(change) : `${change > 0 ? "+" : ""}${difference}`;
  return `${sidesText(before, after)} (${text})`;
}

const isNothing = (bytes: number | undefined): boolean => bytes === undefined || Math.round(bytes) === 0;

/** One of a line's figures. */
export interface Told {
  readonly what: "net" | "peak";
  readonly difference: Difference;
}

/**
 * What is told of a line: its net where that changed, and its peak where that says something else, as it went the other
 * way or more than twice as far. Where nothing changed, the one that is not 0.
 */
export function told({ net, peak }: Pick<ComparedLine, "net" | "peak">): readonly [Told, ...Told[]] {
  const ofNet: Told = { what: "net", difference: net };
  const ofPeak: Told = { what: "peak", difference: peak };
  const [byNet, byPeak] = [changeOf(net), changeOf(peak)];
  if (byNet === undefined && byPeak === undefined) {
    return [changeLabel(net) === "" && changeLabel(peak) !== "" ? ofPeak : ofNet];
  }
  if (byNet === undefined) return [ofPeak];
  const isOwn = byPeak !== undefined && (byNet > 0 !== byPeak > 0 || Math.abs(byPeak) > 2 * Math.abs(byNet));
  return isOwn ? [ofNet, ofPeak] : [ofNet];
}

/** As changeLabel, of all that is told: `20.0 → 10.0 MiB (-10.0), peak 20.0 → 30.0 MiB (+10.0)`. */
export function lineLabel(line: Pick<ComparedLine, "net" | "peak">): string {
  return told(line)
    .map(({ what, difference }) => ({ prefix: what === "peak" ? "peak " : "", label: changeLabel(difference) }))
    .flatMap(({ prefix, label }) => (label === "" ? [] : [`${prefix}${label}`]))
    .join(", ");
}

/** Of what is told of a line the largest growth, or where nothing grew the largest shrinking; undefined without a change. */
export function mainChange(line: Pick<ComparedLine, "net" | "peak">): number | undefined {
  const changes = told(line).flatMap(({ difference }) => changeOf(difference) ?? []);
  return changes.length === 0 ? undefined : Math.max(...changes) > 0 ? Math.max(...changes) : Math.min(...changes);
}

/** How certain a verdict is, as a sentence without its full stop. */
export function noiseText({ amount, known }: Noise): string {
  return known
    ? t("runs differ by up to {0} on their own", formatBytes(amount))
    : t("one run each: at least {0} of noise, and runs may differ by more", formatBytes(amount));
}
