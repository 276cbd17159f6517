/** How strongly a line is marked, and what is written beside it. */

import { t } from "../../words/t.ts";
import type { Figures, Metric } from "../model.ts";
import { formatChange } from "../text/format.ts";
import { metricPrefix } from "./metric.ts";
import { netText } from "./netText.ts";
import { netOrSelf, weight } from "./totals.ts";

export type Severity = "none" | "low" | "medium" | "high" | "freed";

const KIB = 1024;
const MIB = 1024 * 1024;

/** Below this the kernel's own page accounting is noise. */
export const FLOOR = 64 * KIB;
/** From this share of the whole (`wholeOf`), and this size, a line is `medium` … */
export const MEDIUM = { share: 0.05, bytes: 1 * MIB };
/** … and `high`. */
export const HIGH = { share: 0.25, bytes: 4 * MIB };

/**
 * @param whole bytes, see `wholeOf` in totals.ts
 * @returns `freed` for a line that gave back more than it ever held above its entry
 */
export function severityOf(figures: Pick<Figures, "net" | "self" | "peak">, whole: number): Severity {
  const net = netOrSelf(figures);
  const taken = weight(figures);
  if (net <= -FLOOR && taken < -net) return "freed";
  if (taken < FLOOR) return "none";
  const share = whole > 0 ? taken / whole : 1;
  if (share >= HIGH.share && taken >= HIGH.bytes) return "high";
  return share >= MEDIUM.share && taken >= MEDIUM.bytes ? "medium" : "low";
}

type Labelled = Pick<Figures, "hits" | "net" | "self" | "peak">;

export interface DeltaLabel {
  readonly label: string;
  /** Its two figures, where it has two. */
  readonly apart?: { readonly net: string; readonly peak: string };
}

/**
 * `+1585.2 MiB`; with `, peak +512.0 MiB` where a line held much more for a while; undefined where nothing happened.
 * With what it measures where that is not RSS: `CUDA +100.0 MiB`.
 */
export function deltaLabel(figures: Labelled, metric: Metric): DeltaLabel | undefined {
  const prefix = metricPrefix(metric);
  const net = netOrSelf(figures);
  const peak = figures.peak ?? 0;
  if (peak >= FLOOR && Math.abs(net) < FLOOR) return { label: peakLabel(peak, prefix) };
  if (net === 0) return undefined;
  const label = `${prefix}${netText(figures)}`;
  if (peak < MIB || peak <= 2 * Math.max(net, 0)) return { label };
  return { label: t("{0}, peak {1}", label, formatChange(peak)), apart: { net: label, peak: peakLabel(peak, prefix) } };
}

const peakLabel = (peak: number, prefix: string): string => `${prefix}${t("peak {0}", formatChange(peak))}`;
