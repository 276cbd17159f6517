/** Parsed runs by folder: each is read once, then only what was added. The watched one is followed on disk. */
import * as fs from "node:fs";
import { defined } from "../../profile/defined.ts";
import { openRunFolder, type RunReader } from "../../profile/run/runFolder.ts";
import type { RunHead } from "../../profile/run/runHead.ts";

export interface RunStore {
  /**
   * The run as it is on disk now.
   * @throws UserError as RunReader.refresh
   */
  get(folder: string): Promise<RunReader>;
  /** Follows one folder's changes, or none. */
  watch(folder: string | undefined): void;
  dispose(): void;
}

export interface RunStoreOptions {
  /** The watched run changed on disk, or can no longer be read. */
  readonly onChange: (folder: string) => void;
  readonly debounceMs?: number;
  /** Network folders and some containers report no changes: they are looked at this often. */
  readonly pollMs?: number;
}

/** A long run's table takes some ten MB; views go back and forth between few runs. */
const KEPT_RUNS = 6;

export function createRunStore({ onChange, debounceMs = 150, pollMs = 1000 }: RunStoreOptions): RunStore {
  const readers = new Map<string, RunReader>();
  const turns = new Map<string, Promise<unknown>>();
  let stopWatching = () => {};

  /** Requests for one folder take turns: two readings at once would read the same bytes twice. */
  function refresh(folder: string): Promise<RunReader> {
    const turn = (turns.get(folder) ?? Promise.resolve()).then(async () => {
      const reader = readers.get(folder) ?? openRunFolder(folder);
      readers.delete(folder);
      await reader.refresh();
      readers.set(folder, reader);
      const oldest = readers.keys().next().value;
      if (readers.size > KEPT_RUNS && oldest !== undefined) readers.delete(oldest);
      return reader;
    });
    const settled = turn.then(
      () => {},
      () => {},
    );
    turns.set(folder, settled);
    settled.then(() => {
      if (turns.get(folder) === settled) turns.delete(folder);
    });
    return turn;
  }

  return {
    get: refresh,
    watch(folder) {
      stopWatching();
      stopWatching = folder === undefined ? () => {} : follow(folder, { debounceMs, pollMs }, () => onChange(folder));
    },
    dispose: () => stopWatching(),
  };
}

/**
 * Calls `changed` soon after the folder's files change. Independent of what readers have read meanwhile: a request in
 * between must not swallow the news.
 * @returns stops it
 */
function follow(folder: string, times: { debounceMs: number; pollMs: number }, changed: () => void): () => void {
  let seen = stateOf(folder);
  let pending: NodeJS.Timeout | undefined;
  const look = () => {
    pending = undefined;
    const state = stateOf(folder);
    if (state === seen) return;
    seen = state;
    changed();
  };
  const soon = () => {
    pending ??= setTimeout(look, times.debounceMs);
  };
  let watcher: fs.FSWatcher | undefined;
  try {
    watcher = fs.watch(folder, soon);
    watcher.on("error", () => watcher?.close());
  } catch {
    // No notifications here (or no folder any more): looking from time to time is enough.
  }
  const poll = setInterval(soon, times.pollMs);
  poll.unref();
  return () => {
    watcher?.close();
    clearInterval(poll);
    clearTimeout(pending);
  };
}

// Of what has files of its own, one that tells of all: allocator.jsonl has a record for each snapshot.
const FOLLOWED = ["run.json", "lines.jsonl", "samples.jsonl", "origin.json", "memory_profiler.txt", "allocator.jsonl"];

function stateOf(folder: string): string {
  return FOLLOWED.map((name) => {
    try {
      const { size, mtimeMs } = fs.statSync(`${folder}/${name}`);
      return `${size} ${mtimeMs}`;
    } catch (error) {
      // Missing, or no longer ours to look at: whoever reads it says so.
      return (error as NodeJS.ErrnoException).code;
    }
  }).join();
}

/** A read run in the form that lists use. */
export function headOf(reader: RunReader): RunHead {
  const { run, origin, metrics } = reader.profile();
  const rssPeak = reader.rssPeak();
  const rest = { metrics: [...metrics], recordings: reader.recordings() };
  return { run, ...rest, ...defined({ origin, rssPeak }) };
}
