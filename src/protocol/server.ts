/** Typed requests between the language client and the language server, beside hover and code lens. */
import type { Exit, Figures, Metric } from "../profile/model.ts";
import type { PhaseCost } from "../profile/phases.ts";
import type { Severity } from "../profile/severity.ts";
import type { RunEnding } from "./ending.ts";
import type { MassifDocument, TreeRef, WireTree } from "./massif.ts";
import type { ModelDocument } from "./model.ts";
import type { SnapshotAnswer, SnapshotDocument, SnapshotQuery } from "./snapshot.ts";
import type { Trace } from "./timeline.ts";

/** Of a line's delta, by what share of the run's growth or peak it is; the editor has one decoration type for each. */
export type { Severity };

/** What is written beside one line of the document as it is now. */
export interface LineDelta {
  /** 1-based. */
  readonly line: number;
  /** The document's text of this line differs from what was profiled, or the line could only be matched by content. */
  readonly stale: boolean;
  readonly severity: Severity;
  readonly label: string;
  /** The most the line moved or held; lines below the user's threshold are not marked. */
  readonly bytes: number;
}

export interface RunSummary {
  /** The run folder's path at home. */
  readonly folder: string;
  readonly id: string;
  readonly title: string;
  readonly started?: string;
  readonly elapsedMs?: number;
  readonly state: "running" | "finished";
  readonly exit?: Exit;
  readonly target?: string;
  readonly simulated: boolean;
  readonly rssPeak?: number;
  /** The run has massif files to open. */
  readonly massif: boolean;
  /** What can be shown beside the lines. */
  readonly metrics: readonly Metric[];
  /** The run has a model account, allocator snapshots. */
  readonly model: boolean;
  readonly snapshots: readonly string[];
  readonly warnings: readonly string[];
}

export type RunListEntry =
  | { readonly kind: "run"; readonly run: RunSummary }
  | { readonly kind: "unreadable"; readonly folder: string; readonly reason: string };

export interface TreeLine extends Figures {
  readonly line: number;
  readonly text: string;
}
export interface TreeFunction {
  readonly name: string;
  readonly defLine: number;
  readonly net?: number;
  readonly peak?: number;
  readonly timeNs: number;
  readonly calls: number;
  readonly lines: readonly TreeLine[];
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
  readonly lines: readonly LineDelta[];
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

/** What the massif page shows: a massif.out file, or all of a run's. */
export type MassifSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "run"; readonly folder: string };

/** Method names and their parameter and result shapes. */
export interface ServerRequests {
  /** All runs below the given `.jetson-memprof/runs` folders, newest first. */
  "jetsonMemprof/runs": { params: { folders: readonly string[] }; result: readonly RunListEntry[] };
  /**
   * The run whose figures hover, code lens and decorations show; null shows none. `metric` is what they and every tree
   * show from now on, where the run has it, else RSS.
   */
  "jetsonMemprof/showRun": { params: { folder: string | null; metric: Metric }; result: RunSummary | null };
  /** The run as it is now. */
  "jetsonMemprof/runSummary": { params: { folder: string }; result: RunSummary };
  /** Files → functions → lines of a run, heaviest first. */
  "jetsonMemprof/runTree": { params: { folder: string }; result: RunTree };
  /** The shown run's figures for a document; null when the run did not measure it. */
  "jetsonMemprof/lineDeltas": { params: { uri: string }; result: LineDeltasResult | null };
  /**
   * Where a profiled line of `path` is in its document now; `gone` where it was deleted since, and then `line` is the
   * nearest one above that is left. Null when the run did not measure the file.
   */
  "jetsonMemprof/lineNow": {
    params: { folder: string; path: string; line: number; uri: string };
    result: { readonly line: number; readonly gone: boolean } | null;
  };
  /** What each phase of the run took; empty where none was recorded. */
  "jetsonMemprof/phases": { params: { folder: string }; result: readonly PhaseCost[] };
  /** The timeline of a run, thinned to at most `maxPoints` keeping every extreme. */
  "jetsonMemprof/timeline": {
    params: { folder: string; maxPoints: number };
    result: { readonly run: RunSummary; readonly memTotal?: number; readonly samples: readonly TimelineSample[] };
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
  /** Why a run ended for want of memory, and what could be done about its memory. */
  "jetsonMemprof/ending": { params: { folder: string }; result: RunEnding };
  /** A run's model account, and what its models have in common with those of the runs in `runsFolders`. */
  "jetsonMemprof/modelAccount": {
    params: { folder: string; runsFolders: readonly string[] };
    result: ModelDocument;
  };
  /** The shown run's native stacks through a line of a document (1-based); null where it has none. */
  "jetsonMemprof/nativeStacks": { params: { uri: string; line: number }; result: LineStacks | null };
}

/**
 * Server → client: the shown run's data changed on disk; decorations and trees should be asked for again. The
 * parameter is `{ folder: string }`. Code lenses are refreshed by the server itself.
 */
export const RUN_CHANGED = "jetsonMemprof/runChanged";
