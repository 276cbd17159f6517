/** Sides of comparisons for tests. */
import { defined } from "../profile/defined.ts";
import type { FileProfile, LineRow, RunInfo } from "../profile/model.ts";
import type { LoadedRun, LoadedSide } from "./side.ts";

export const MIB = 1024 * 1024;

let made = 0;

const RUN: RunInfo = {
  id: "20261122-094501-train-3fa9",
  state: "finished",
  engine: { name: "line", exact: false, accelerator: true },
  command: { python: "python3", script: "train.py", args: [] },
  elapsedMs: 2000,
  exit: { kind: "exited", code: 0 },
  lastLines: [],
  environment: {},
  board: {},
  versions: {},
  processes: [{ pid: 10, kind: "main", label: "main", implementation: "accelerator" }],
  warnings: [],
};

/** Rows of `train.py` by line; a number is a line's net. */
export type Rows = Readonly<Record<number, number | Partial<LineRow>>>;

export function fileOf(path: string, sha256: string, rows: Rows): FileProfile {
  const lines = Object.entries(rows).map(([line, row]) => ({
    line: Number(line),
    hits: 1,
    ...(typeof row === "number" ? { net: row, peak: Math.max(0, row), uncertain: 0 } : row),
  }));
  return { path, sha256, lines, functions: [] };
}

export function runOf(
  files: readonly FileProfile[],
  changes: Partial<LoadedRun> = {},
  run: Partial<RunInfo> = {},
): LoadedRun {
  return {
    // Each is another run.
    folder: `/runs/${++made}`,
    run: { ...RUN, ...run },
    files: new Map(files.map((file) => [file.path, file])),
    metrics: new Set(["rss"]),
    complete: true,
    ...changes,
  };
}

/** @param texts the sources by path; a file without one was not kept */
export function sideOf(runs: readonly LoadedRun[], texts: Readonly<Record<string, readonly string[]>>): LoadedSide {
  const sources = new Map<string, LoadedSide["sources"][number]>();
  for (const { path, sha256 } of runs.flatMap(({ files }) => [...files.values()])) {
    const lines = texts[path];
    if (!sources.has(path)) sources.set(path, { path, sha256, ...defined({ lines }) });
  }
  return { folders: runs.map(({ folder }) => folder), title: "train.py", runs, sources: [...sources.values()] };
}

/** Repeats of `train.py`, whose text is its own digest. */
export function train(text: string, ...repeats: readonly Rows[]): LoadedSide {
  const runs = repeats.map((rows) => runOf([fileOf("train.py", text, rows)]));
  return sideOf(runs, { "train.py": text.split("|") });
}
