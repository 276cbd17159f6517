/** The last moments before the end: what is drawn, and what the table says. */
import type { LastMoment } from "../../src/board/ending/model.ts";
import { formatBytes, formatDuration } from "../../src/profile/format.ts";

export type MomentMetric = "memAvailable" | "swapFree" | "runRss" | "nvmap";

const MOMENT_METRICS: readonly { readonly metric: MomentMetric; readonly name: string }[] = [
  { metric: "memAvailable", name: "Available RAM" },
  { metric: "swapFree", name: "Free swap" },
  { metric: "runRss", name: "Script (RSS)" },
  { metric: "nvmap", name: "GPU buffers (NvMap)" },
];

/** The metrics that were read at one moment at least. */
export function readMetrics(moments: readonly LastMoment[]): (typeof MOMENT_METRICS)[number][] {
  return MOMENT_METRICS.filter(({ metric }) => moments.some((moment) => moment[metric] !== undefined));
}

/** `4.2 s before`, counted from the last moment. */
export function beforeEnd(moment: LastMoment, moments: readonly LastMoment[]): string {
  const before = (moments.at(-1)?.t ?? moment.t) - moment.t;
  return before <= 0 ? "the last one" : `${formatDuration(before)} before`;
}

export function figure(bytes: number | undefined): string {
  return bytes === undefined ? "not read" : formatBytes(bytes);
}

/** Each figure from its first to its last reading: `Available RAM fell from 900.0 MiB to 12.0 MiB.` */
export function courseText(moments: readonly LastMoment[]): string {
  return readMetrics(moments)
    .flatMap(({ metric, name }) => {
      const read = moments.map((moment) => moment[metric]).filter((bytes) => bytes !== undefined);
      const [first, last] = [read[0], read.at(-1)];
      if (first === undefined || last === undefined) return [];
      if (read.length === 1) return [`${name} was ${formatBytes(last)}.`];
      if (formatBytes(first) === formatBytes(last)) return [`${name} stayed at ${formatBytes(last)}.`];
      const verb = last < first ? "fell" : "rose";
      return [`${name} ${verb} from ${formatBytes(first)} to ${formatBytes(last)}.`];
    })
    .join(" ");
}
