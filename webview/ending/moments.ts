/** The last moments before the end: what is drawn, and what the table says. */
import type { LastMoment } from "../../src/board/ending/model.ts";
import { formatBytes, formatDuration } from "../../src/profile/text/format.ts";
import { sentences, t } from "../../src/words/t.ts";

export type MomentMetric = "memAvailable" | "swapFree" | "runRss" | "nvmap";

const MOMENT_METRICS: readonly { readonly metric: MomentMetric; readonly name: () => string }[] = [
  { metric: "memAvailable", name: () => t("Available RAM") },
  { metric: "swapFree", name: () => t("Free swap") },
  { metric: "runRss", name: () => t("Script (RSS)") },
  { metric: "nvmap", name: () => t("GPU buffers (NvMap)") },
];

export interface ReadMetric {
  readonly metric: MomentMetric;
  readonly name: string;
}

/** The metrics that were read at one moment at least. */
export function readMetrics(moments: readonly LastMoment[]): ReadMetric[] {
  const read = MOMENT_METRICS.filter(({ metric }) => moments.some((moment) => moment[metric] !== undefined));
  return read.map(({ metric, name }) => ({ metric, name: name() }));
}

/** `4.2 s before`, counted from the last moment. */
export function beforeEnd(moment: LastMoment, moments: readonly LastMoment[]): string {
  const before = (moments.at(-1)?.t ?? moment.t) - moment.t;
  return before <= 0 ? t("the last one") : t("{0} before", formatDuration(before));
}

export function figure(bytes: number | undefined): string {
  return bytes === undefined ? t("not read") : formatBytes(bytes);
}

/** Each figure from its first to its last reading: `Available RAM fell from 900.0 MiB to 12.0 MiB.` */
export function courseText(moments: readonly LastMoment[]): string {
  return sentences(
    ...readMetrics(moments).flatMap(({ metric, name }) => {
      const read = moments.map((moment) => moment[metric]).filter((bytes) => bytes !== undefined);
      const [first, last] = [read[0], read.at(-1)];
      if (first === undefined || last === undefined) return [];
      if (read.length === 1) return [t("{0} was {1}.", name, formatBytes(last))];
      if (formatBytes(first) === formatBytes(last)) return [t("{0} stayed at {1}.", name, formatBytes(last))];
      const [from, to] = [formatBytes(first), formatBytes(last)];
      return last < first
        ? [t("{0} fell from {1} to {2}.", name, from, to)]
        : [t("{0} rose from {1} to {2}.", name, from, to)];
    }),
  );
}
