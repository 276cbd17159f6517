/** The most that a run held, by what is measured. Pure. */
import { leastAvailable } from "../board/moments/available.ts";
import type { MomentTable } from "../board/moments/momentTable.ts";
import { measuredElsewhere, timelineMeasure } from "../profile/measuredElsewhere.ts";
import type { LineRow, Metric, Profile } from "../profile/model.ts";
import type { PlacedSample } from "../profile/runFolder.ts";

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
      return highest(cudaReadings(run), "PyTorch's CUDA allocator was not read in this run.");
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

function highest(readings: readonly number[], reason: string): PeakFigure {
  if (readings.length === 0) return { kind: "unknown", reason };
  return { kind: "at-least", bytes: readings.reduce((most, bytes) => Math.max(most, bytes), 0) };
}

/** What the allocator of one process had reserved, as often as it was read, and the most it gained on any line. */
function cudaReadings({ profile, moments }: RunFigures): number[] {
  const read = Array.from({ length: moments?.size ?? 0 }, (_, index) => moments?.moment(index).cuda?.reserved);
  const begun = profile.cuda.size === 0 ? [] : profile.phases.map(({ reserved }) => reserved);
  // The lines of all processes are added up in `files`: those of one are the ones to look at.
  const tables = profile.byProcess.size === 0 ? [profile.files] : [...profile.byProcess.values()];
  const gained = tables.flatMap((files) => files.flatMap(({ lines }) => lines.map(mostReserved)));
  return [...read, ...begun, ...gained].filter((bytes) => bytes !== undefined);
}

function mostReserved({ cuda }: LineRow): number | undefined {
  return cuda && Math.max(0, cuda.reservedPeak, cuda.reservedNet);
}

/** Memory in use is MemTotal less MemAvailable. */
function boardPeak({ profile, samples, moments }: RunFigures): PeakFigure {
  const { memTotal } = profile.run.board;
  const least = leastAvailable(moments, samples);
  const readings = memTotal === undefined || least === undefined ? [] : [memTotal - least];
  return highest(readings, "The board's memory was not recorded in this run.");
}
