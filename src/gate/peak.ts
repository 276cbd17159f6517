/** The most that a run held, by what is measured. Pure. */
import { leastAvailable } from "../board/moments/available.ts";
import { cudaPeak } from "../board/moments/cudaPeak.ts";
import type { MomentTable } from "../board/moments/momentTable.ts";
import type { Metric, Profile } from "../profile/model.ts";
import type { PlacedSample } from "../profile/run/runFolder.ts";
import { measuredElsewhere, timelineMeasure } from "../profile/text/measuredElsewhere.ts";

/** Bytes; the reason, a sentence, where the run does not tell. */
export type PeakFigure =
  | { readonly kind: "known"; readonly bytes: number }
  /** The highest of single readings: it may have been more between them. */
  | { readonly kind: "at-least"; readonly bytes: number }
  | { readonly kind: "unknown"; readonly reason: string };

export interface RunFigures {
  readonly profile: Profile;
  /** Highest RSS of the main process. */
  readonly rssPeak: number | undefined;
  readonly samples: readonly PlacedSample[];
  readonly moments: MomentTable | undefined;
}

export function peakOf(run: RunFigures, metric: Metric): PeakFigure {
  switch (metric) {
    case "rss":
      return rssPeak(run);
    case "cuda":
      return reading(cudaPeak(run.profile, run.moments), "PyTorch's CUDA allocator was not read in this run.");
    case "system":
      return boardPeak(run);
  }
}

function rssPeak({ profile: { run }, rssPeak }: RunFigures): PeakFigure {
  if (run.engine.name === "massif" && measuredElsewhere(run) === undefined) {
    return { kind: "unknown", reason: "Under massif the process holds valgrind too, so its RSS is not the script's." };
  }
  const measure = timelineMeasure(run);
  if (measure !== undefined) return { kind: "unknown", reason: `The run's timeline is of ${measure}, not of RSS.` };
  return rssPeak === undefined
    ? { kind: "unknown", reason: "The run has no record of its RSS." }
    : { kind: "known", bytes: rssPeak };
}

function reading(bytes: number | undefined, reason: string): PeakFigure {
  return bytes === undefined ? { kind: "unknown", reason } : { kind: "at-least", bytes };
}

/** Memory in use is MemTotal less MemAvailable. */
function boardPeak({ profile, samples, moments }: RunFigures): PeakFigure {
  const { memTotal } = profile.run.board;
  const least = leastAvailable(moments, samples);
  const inUse = memTotal === undefined || least === undefined ? undefined : Math.max(0, memTotal - least);
  return reading(inUse, "The board's memory was not recorded in this run.");
}
