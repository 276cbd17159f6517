/**
 * What the extension `jetson-memory-profiler.jetson-memory-profiler` offers to other extensions: docs/api.md explains
 * it. Copy this file into your extension; it needs no package. Sizes are bytes, times milliseconds, and what is not
 * known is left out. All values are frozen copies.
 */

/** What `await extension.activate()` gives. */
export interface JetsonMemprofExports {
  /**
   * @param version of this file: 1
   * @throws JetsonMemprofError `api-version` where this extension does not have that version
   */
  getApi(version: 1): Promise<JetsonMemprofApi>;
}

export interface JetsonMemprofApi {
  readonly version: 1;

  /** The runs of the window's projects, newest first. Runs that cannot be read are not in it. */
  listRuns(): Promise<readonly Run[]>;

  /**
   * What each source line took.
   * @param run its id or its folder
   * @param metric which memory; `rss` unless said otherwise
   * @throws JetsonMemprofError `no-run`, `no-metric` where the run did not measure that
   */
  readLines(run: string, metric?: Metric): Promise<RunLines>;

  /**
   * Shows a run in the editor.
   * @param run its id or its folder
   * @param view `lines` (unless said otherwise): its figures beside the source, whose script is opened. `timeline`: its
   * memory over time, in a tab
   * @returns the run that is shown
   * @throws JetsonMemprofError `no-run`
   */
  openRun(run: string, view?: RunView): Promise<Run>;

  /**
   * Runs a script and measures it, as "Profile on Jetson" does: in a trusted workspace only, and with all questions that
   * the command asks, about an unknown host key or a password. Resolves when the run has ended.
   * @param script its absolute path, or that of a notebook
   * @param options.target where to run: `user@host`, `ssh://user@host:22`, a name of the SSH configuration, `local` or
   * `loopback` (a simulated board); else what the user's settings say, or the user is asked
   * @returns how it ended; undefined where the user declined, or does not trust the workspace
   * @throws JetsonMemprofError where it could not be started
   */
  profile(script: string, options?: { readonly target?: string }): Promise<ProfileResult | undefined>;

  /** The run whose figures stand beside the lines; undefined where none do. */
  shownRun(): Run | undefined;

  /** Another run is shown, or none. */
  readonly onDidChangeShownRun: Event<Run | undefined>;
  /** The list of runs may have changed: one was made, deleted, named. Ask for it again. */
  readonly onDidChangeRuns: Event<void>;
  /** What is heard of the runs that this window follows. */
  readonly onDidHearOfRun: Event<RunNews>;
}

/** Which memory: the process's own, what PyTorch's CUDA allocator handed out, or the whole board's. */
export type Metric = "rss" | "cuda" | "system";
export type RunView = "lines" | "timeline";

export interface Run {
  readonly id: string;
  /** The run's folder on the machine where the extension runs; docs/run-folder.md says what is in it. */
  readonly folder: string;
  /** What ran, with its arguments. */
  readonly title: string;
  /** Relative to the project's folder. */
  readonly script?: string;
  /** By the user, as are note and tags. */
  readonly name?: string;
  readonly note?: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  /** `running` until the end was heard of, also where the connection is gone. */
  readonly state: "running" | "ended";
  readonly ending?: RunEnding;
  /** ISO 8601, by the board's clock. */
  readonly startedAt?: string;
  readonly elapsedMs?: number;
  /** Where it ran, as `profile` takes it. */
  readonly target?: string;
  /** The board was a simulated one. */
  readonly simulated: boolean;
  /** The highest RSS of the script's process; left out where that is not what was measured, as under valgrind. */
  readonly peakRssBytes?: number;
  /** What was measured by line. */
  readonly metrics: readonly Metric[];
  /** Another tool measured it: its name. */
  readonly importedFrom?: string;
}

export type RunEnding =
  | { readonly kind: "exited"; readonly code: number }
  /** `out-of-memory`: the kernel ended it because memory ran out. */
  | { readonly kind: "signalled" | "out-of-memory"; readonly signal: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not-started"; readonly reason: string }
  /** Nobody knows. */
  | { readonly kind: "lost" };

export interface RunLines {
  readonly metric: Metric;
  readonly files: readonly {
    /** Relative to the project's folder, with `/`. */
    readonly path: string;
    readonly lines: readonly Line[];
  }[];
}

export interface Line {
  /** From 1, as the script was when it ran. */
  readonly line: number;
  readonly hits?: number;
  /** After the line less before, over all hits, with what it called. */
  readonly netBytes?: number;
  /** The part of it that no other measured line accounts for. */
  readonly selfBytes?: number;
  /** The most that one hit kept. */
  readonly largestIncrementBytes?: number;
  /** The most that one hit held at any moment. */
  readonly peakAboveEntryBytes?: number;
  /** The highest usage right after the line. */
  readonly usageAfterBytes?: number;
  /** How much of the net may belong to a neighboring line or another thread. */
  readonly uncertainBytes?: number;
  /** How far the peak may be off. */
  readonly peakUncertainBytes?: number;
}

export type RunNews =
  /** The script was started, and the run has a folder. */
  | { readonly kind: "started"; readonly id: string; readonly folder: string }
  /** About once a second. `rssBytes` is left out under valgrind. */
  | {
      readonly kind: "progress";
      readonly id: string;
      readonly folder: string;
      readonly elapsedMs: number;
      readonly rssBytes?: number;
      readonly at?: { readonly path: string; readonly line: number };
    }
  /** It is no longer followed by this window. */
  | { readonly kind: "ended"; readonly id: string; readonly folder: string; readonly outcome: ProfileOutcome };

/** `released`: it keeps running on the board, and nobody follows it. `failed`: it could not be made or followed. */
export type ProfileOutcome = "finished" | "cancelled" | "released" | "failed";

export interface ProfileResult {
  readonly outcome: ProfileOutcome;
  /** Left out where nothing was recorded. */
  readonly run?: Run;
}

export type JetsonMemprofErrorCode =
  | "api-version"
  /** An argument is not what this file says. */
  | "bad-argument"
  | "no-run"
  | "no-metric"
  /** Not expected; the extension's log says more. */
  | "internal";

/** What is thrown: `message` is for people, `code` stays the same. Codes of what the user is told come besides. */
export interface JetsonMemprofError extends Error {
  readonly code: JetsonMemprofErrorCode | (string & {});
}

/** As VS Code's own. */
export type Event<T> = (
  listener: (event: T) => unknown,
  thisArgs?: unknown,
  disposables?: { dispose(): unknown }[],
) => { dispose(): void };
