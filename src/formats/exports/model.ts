/** What an export is made of. */
import type { MomentTable } from "../../board/moments/momentTable.ts";
import type { FrameNames, FrameTree, MeasuredLine } from "../../massif/model.ts";
import type { GpuProcess } from "../../profile/gpu/gpuMemory.ts";
import type { MetricChoice } from "../../profile/lines/columns.ts";
import type { Profile } from "../../profile/model.ts";
import type { PlacedSample } from "../../profile/run/runFolder.ts";
import type { Keeping } from "../../runs/model.ts";

/** A run, read as a whole. */
export interface WholeRun {
  readonly profile: Profile;
  readonly samples: readonly PlacedSample[];
  /** Highest RSS of the main process, bytes. */
  readonly rssPeak?: number;
  /** Texts of the measured files by their paths, as they were run. */
  readonly sources: ReadonlyMap<string, string>;
  /** Name, tags, commit. */
  readonly keeping: Keeping;
  /** The board's memory; absent where none was recorded. */
  readonly moments?: MomentTable;
  /** Of a run under massif, the main process first. */
  readonly heaps: readonly ProcessHeap[];
  /** Of a run with sampled native stacks; its lines have figures of their own. */
  readonly sampledHeaps?: readonly ProcessHeap[];
  /** What its processes took of the GPU by calls of their own. */
  readonly gpu?: readonly GpuProcess[];
  /** What could not be read, sentences. */
  readonly problems: readonly string[];
}

/** A process's heap at its peak, as massif counted it or the sampler estimated it. */
export interface ProcessHeap {
  readonly pid: number;
  readonly label: string;
  readonly bytes: number;
  /** Bytes allocated between two samples, on average; absent where every allocation was counted. */
  readonly sampled?: number;
  /** Massif kept no stacks at the peak: these are of the largest moment that has some. */
  readonly substitute: boolean;
  /** Allocators first, with all frames. */
  readonly stacks: FrameTree;
  /** How much is known of the Python frames in the stacks. */
  readonly pythonFrames: FrameNames["level"];
  /** Bytes that may belong to a line of the project without being in its stacks. */
  readonly withoutLine: number;
  readonly measured: readonly MeasuredLine[];
}

export interface ExportOptions {
  /** Which memory stands beside the lines; absent: all that the run has where the format can show several. */
  readonly metric?: MetricChoice;
}

/** A file's content, in pieces, and what is not in it, sentences for people. */
export interface Exported {
  readonly content: Iterable<string | Uint8Array>;
  readonly notes: readonly string[];
}
