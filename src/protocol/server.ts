/** Typed requests between the language client and the language server, beside hover and code lens. */

import type { ExportFormat } from "../profile/formats/exportFormats.ts";
import type { DeltaLabel, Severity } from "../profile/lines/severity.ts";
import type { Unfinished } from "../profile/lines/unfinished.ts";
import type { Figures, ImportFormat, Metric } from "../profile/model.ts";
import type { RankView } from "../profile/ranks/ranks.ts";
import type { PeakStretch, TimeRange } from "../profile/samples/samples.ts";
import type { PhaseCost } from "../profile/torch/phases.ts";
import type { RunListEntry, RunSummary } from "../runs/model.ts";
import type { FoundSweep } from "../sweep/command.ts";
import type { SweepRun, Values } from "../sweep/model.ts";
import type { RunEnding } from "./board/ending.ts";
import type { CompareDocument, ComparedFolders } from "./compare.ts";
import type { MassifDocument, TreeRef, WireTree } from "./massif/massif.ts";
import type { Trace } from "./timeline.ts";
import type { ModelDocument } from "./torch/model.ts";
import type { SnapshotAnswer, SnapshotDocument, SnapshotQuery } from "./torch/snapshot.ts";

/** Of a line's delta, by its share (`wholeOf` in src/profile/lines/totals.ts); the editor has a decoration type for each. */
export type { Severity };

/** What is written beside one line of the document as it is now. */
export interface LineDelta extends DeltaLabel {
  /** 1-based. */
  readonly line: number;
  /** The document's text of this line differs from what was profiled, or the line could only be matched by content. */
  readonly stale: boolean;
  readonly severity: Severity;
  /** The most the line moved or held; lines below the user's threshold are not marked. */
  readonly bytes: number;
}

/** Where the script is, while it runs. */
export interface LineHere {
  /** In the document, 1-based. */
  readonly line: number;
  /** For people: when, and what the process held. */
  readonly text: string;
}

/** What a line took in one of the last runs of its script. */
export interface LineOfRun {
  readonly run: RunSummary;
  /** As it stands beside the line, or why there is none. */
  readonly figure: string;
  /** The line's text then, where it was another one. */
  readonly textThen?: string;
}

export interface LineHistory {
  readonly path: string;
  /** As it was in the shown run, 1-based. */
  readonly line: number;
  readonly text: string;
  /** Newest first. */
  readonly runs: readonly LineOfRun[];
}

export type { RunListEntry, RunSummary };

export interface TreeLine extends Figures {
  readonly line: number;
  readonly text: string;
}
export interface TreeFunction {
  readonly name: string;
  readonly defLine: number;
  readonly net?: number;
  readonly peak?: number;
  /** Of the calls that ended; absent where none did. */
  readonly timeNs?: number;
  readonly calls: number;
  readonly unfinished?: Unfinished;
  /** Of a run with very many, the heaviest. */
  readonly lines: readonly TreeLine[];
  /** How many lines more took or gave back something; absent where none did. */
  readonly left?: number;
}
export interface TreeFile {
  readonly path: string;
  /** Absolute path in the workspace, where the file is still there. */
  readonly absolutePath?: string;
  readonly net?: number;
  readonly functions: readonly TreeFunction[];
}

/** A line's part of the heap, as massif counts it. */
export interface HeapShare {
  /** Live at the peak, in stacks that pass through the line. */
  readonly total: number;
  /** Of `total`, what has no line of the project nearer to the allocation. */
  readonly own: number;
  /** Of the hits that were measured before and after. */
  readonly measured?: { readonly net: number; readonly measured: number; readonly hits: number };
}
export interface HeapLine extends HeapShare {
  readonly line: number;
  readonly text: string;
}
/** A function or file; its `total` counts a stack once, however many of its lines it passes through. */
type HeapPart = Pick<HeapShare, "total" | "own">;
export interface HeapFunction extends HeapPart {
  readonly name: string;
  readonly defLine: number;
  readonly lines: readonly HeapLine[];
}
export interface HeapFile extends HeapPart {
  readonly path: string;
  readonly absolutePath?: string;
  readonly functions: readonly HeapFunction[];
}

/** The moment that the figures of a massif run are taken from. */
export interface HeapPeak {
  readonly bytes: number;
  /** Pages that were mapped, not blocks of the heap. */
  readonly pages: boolean;
  /** Massif recorded no stacks at its peak: these are of the largest moment that has some. */
  readonly substitute: boolean;
  /** Of the bytes, those whose stacks massif cut off before any line of the project: some line took them. */
  readonly withoutLine: number;
}

/** What lies below a run in the view, by what its engine measured: memory by line, or the heap under massif. */
export type RunTree =
  | { readonly kind: "lines"; readonly metric: Metric; readonly files: readonly TreeFile[] }
  | { readonly kind: "heap"; readonly files: readonly HeapFile[]; readonly peak?: HeapPeak };

export interface LineDeltasResult {
  readonly run: RunSummary;
  /** What the figures measure: what is shown, or `rss` where the run does not have that. */
  readonly metric: Metric;
  /** Any line of the document differs from the profiled source. */
  readonly stale: boolean;
  /** By ascending line. Of lines that neither took nor gave back anything there may be none. */
  readonly lines: readonly LineDelta[];
  /** Of a run that goes on, where its main thread is in this document. */
  readonly here?: LineHere;
}

/** A message that is long to read holds up all that runs in the extension host, so that no part has very many lines. */
export interface LineDeltasPart extends LineDeltasResult {
  /** What `from` is for the lines after these; absent where there are none. */
  readonly next?: number;
}

export interface TimelineSample {
  readonly t: number;
  readonly rss?: number;
  readonly memAvailable?: number;
  readonly at?: { readonly path: string; readonly line: number };
}

/** A line's native stacks, where most of its bytes are: the peak of one of the run's processes. */
export interface LineStacks {
  readonly folder: string;
  /** Relative to the project folder, with `/`. */
  readonly path: string;
  readonly line: number;
  /** Places in the run's document, as in a TreeRef. */
  readonly file: number;
  readonly snapshot: number;
}

/** What the massif page shows: a massif.out file, all of a run's, or those of two runs. */
export type MassifSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "run"; readonly folder: string }
  | { readonly kind: "runs"; readonly before: string; readonly after: string };

/** What became of a file to import: nothing is written until what is needed was answered. */
export type ImportAnswer =
  /** Its content is like that of no tool that is known. */
  | { readonly kind: "needs-format" }
  /** It does not say which source was measured. */
  | { readonly kind: "needs-file"; readonly format: ImportFormat }
  | {
      readonly kind: "imported";
      readonly folder: string;
      /** What was taken over and what was not, sentences for people. */
      readonly said: string;
      /** What there is to see; a run may have nothing. */
      readonly views: readonly ImportedView[];
    };

export type ImportedView = "lines" | "timeline" | "stacks";

/** Method names and their parameter and result shapes. */
export interface ServerRequests {
  /** All runs below the given `.jetson-memprof/runs` folders, newest first. */
  "jetsonMemprof/runs": { params: { folders: readonly string[] }; result: readonly RunListEntry[] };
  /**
   * The run whose figures hover, code lens and decorations show; null shows none. `metric` is what they and every tree
   * show from now on, where the run has it, else RSS. With `compared`, whose later side the run is one of, they show
   * what changed between its sides; with `since`, ms since it began, of the run what came after that alone.
   */
  "jetsonMemprof/showRun": {
    params: { folder: string | null; metric: Metric; compared?: ComparedFolders; ranks?: RankView; since?: number };
    result: RunSummary | null;
  };
  /** Two runs, or repeats of them, compared; without folders before, the spread of one run's repeats. */
  "jetsonMemprof/compare": { params: { folders: ComparedFolders; metric: Metric }; result: CompareDocument };
  /** The run as it is now. */
  "jetsonMemprof/runSummary": { params: { folder: string }; result: RunSummary };
  /** Files → functions → lines of a run, heaviest first. */
  "jetsonMemprof/runTree": { params: { folder: string }; result: RunTree };
  /** Every measured line of a run by `metric`, or by RSS where the run does not have that. */
  "jetsonMemprof/runLines": {
    params: { folder: string; metric: Metric };
    result: {
      readonly metric: Metric;
      readonly files: readonly {
        readonly path: string;
        readonly lines: readonly (Figures & { readonly line: number })[];
      }[];
    };
  };
  /** The shown run's figures for a document, part by part; null when the run did not measure it. */
  "jetsonMemprof/lineDeltas": { params: { uri: string; from?: number }; result: LineDeltasPart | null };
  /** A document's line (1-based) in the last runs of the shown run's script; null where the shown run did not measure it. */
  "jetsonMemprof/lineHistory": { params: { uri: string; line: number }; result: LineHistory | null };
  /**
   * Where a profiled line of `path` is in its document now; `gone` where it was deleted since, and then `line` is the
   * nearest one above that is left. Null when the run did not measure the file.
   */
  "jetsonMemprof/lineNow": {
    params: { folder: string; path: string; line: number; uri: string };
    result: { readonly line: number; readonly gone: boolean } | null;
  };
  /** The URI of the cell that `path` was when it ran, among the cells of its notebook as they are now; null where it is gone. */
  "jetsonMemprof/cellNow": {
    params: {
      folder: string;
      path: string;
      cells: readonly { readonly uri: string; readonly id?: string; readonly text: string }[];
    };
    result: string | null;
  };
  /** What each phase of the run took; empty where none was recorded. */
  "jetsonMemprof/phases": { params: { folder: string }; result: readonly PhaseCost[] };
  /** The timeline of a run, thinned to at most `maxPoints` keeping every extreme; those within `closer`, where it is given. */
  "jetsonMemprof/timeline": {
    params: { folder: string; maxPoints: number; closer?: TimeRange };
    result: {
      readonly run: RunSummary;
      readonly memTotal?: number;
      /** Of the main process, whose RSS the samples have. */
      readonly rssPeak?: number;
      /** A launcher's, which started the script several times: the ranks are not in it. */
      readonly launcher: boolean;
      readonly peakReached?: PeakStretch;
      readonly samples: readonly TimelineSample[];
    };
  };
  /** What a torch.profiler trace says of memory, thinned for the timeline page. */
  "jetsonMemprof/trace": { params: { path: string }; result: Trace };
  /** Snapshots and measured lines, without trees. A file that lies in a run folder is shown with what the run knows of it. */
  "jetsonMemprof/massifDocument": { params: { source: MassifSource }; result: MassifDocument };
  /** One tree of the document that `source` gave last. */
  "jetsonMemprof/massifTree": { params: { source: MassifSource; ref: TreeRef }; result: WireTree };
  /** Opens a snapshot of PyTorch's allocator, or again where it changed; one in a run folder with what the run knows. */
  "jetsonMemprof/snapshotDocument": { params: { path: string }; result: SnapshotDocument };
  /** Of the document that `path` gave last. */
  "jetsonMemprof/snapshotQuery": { params: { path: string; query: SnapshotQuery }; result: SnapshotAnswer };
  /** Why a run ran out of memory, and what could be done about its memory. */
  "jetsonMemprof/ending": { params: { folder: string }; result: RunEnding };
  /** A run's model account, and what its models have in common with those of the runs in `runsFolders`. */
  "jetsonMemprof/modelAccount": {
    params: { folder: string; runsFolders: readonly string[] };
    result: ModelDocument;
  };
  /** A sweep by its group's id, from the runs in `runsFolders`. */
  "jetsonMemprof/sweep": { params: { id: string; runsFolders: readonly string[] }; result: FoundSweep };
  /** What a sweep needs of one run, which has just been made at these values. */
  "jetsonMemprof/sweepRun": { params: { folder: string; values: Values }; result: SweepRun };
  /** Writes a run into `file`; the notes say what is not in it, sentences for people. */
  "jetsonMemprof/exportRun": {
    params: { folder: string; format: ExportFormat; metric?: Metric; file: string };
    result: { readonly notes: readonly string[] };
  };
  /**
   * Makes a run of another tool's file in the project's folder of runs. `source` is the project's file that the figures
   * belong to, null where nobody knows it.
   */
  "jetsonMemprof/importFile": {
    params: { file: string; project: string; format?: ImportFormat; source?: string | null };
    result: ImportAnswer;
  };
  /** The shown run's native stacks through a line of a document (1-based); null where it has none. */
  "jetsonMemprof/nativeStacks": { params: { uri: string; line: number }; result: LineStacks | null };
}

/**
 * Server → client: the shown run's data changed on disk; decorations and trees should be asked for again. The
 * parameter is `{ folder: string }`. Code lenses are refreshed by the server itself.
 */
export const RUN_CHANGED = "jetsonMemprof/runChanged";
