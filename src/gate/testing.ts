/** A run and a comparison for the tests of this room. */
import type { ComparedLine, Comparison, Difference } from "../compare/model.ts";
import { defined } from "../profile/defined.ts";
import type { FileProfile, LineRow, Profile, RunInfo } from "../profile/model.ts";
import type { Judged } from "./judge.ts";

export const MIB = 2 ** 20;

export function runInfo(changes: Partial<RunInfo> = {}): RunInfo {
  return {
    id: "20261121-094501-train-3fa9",
    state: "finished",
    engine: { name: "line", exact: false, accelerator: true },
    command: { python: "python3", script: "train.py", args: [] },
    exit: { kind: "exited", code: 0 },
    lastLines: [],
    environment: {},
    board: { memTotal: 4000 * MIB },
    versions: {},
    processes: [],
    warnings: [],
    ...changes,
  };
}

export function lineRow(line: number, figures: Partial<LineRow>): LineRow {
  return { line, hits: 1, ...figures };
}

export function profileOf(rows: readonly LineRow[], changes: Partial<Profile> = {}): Profile {
  const file: FileProfile = { path: "train.py", sha256: "", lines: rows, functions: [] };
  return {
    run: runInfo(),
    files: [file],
    byProcess: new Map(),
    metrics: new Set(["rss"]),
    cuda: new Map(),
    phases: [],
    complete: true,
    ...changes,
  };
}

/** Line 2 took 64 MiB, line 9 all of it with what it called. */
export function judged(changes: Partial<Judged["figures"]> = {}, comparison?: Comparison): Judged {
  return {
    folder: "/runs/now",
    figures: {
      profile: profileOf([
        lineRow(2, { self: 64 * MIB, net: 64 * MIB, peak: 64 * MIB }),
        lineRow(9, { self: 0, net: 64 * MIB, peak: 140 * MIB }),
      ]),
      rssPeak: 148 * MIB,
      samples: [],
      moments: undefined,
      ...changes,
    },
    textOf: (path, line) => (path === "train.py" ? `    line_${line}()` : undefined),
    ...defined({ comparison }),
  };
}

export function difference(before: number, after: number, noise = { amount: 0, known: true }): Difference {
  const change = after - before;
  const verdict = Math.abs(change) <= noise.amount ? "same" : change > 0 ? "more" : "less";
  return { verdict, before: { median: before, runs: 3 }, after: { median: after, runs: 3 }, change, noise };
}

export const UNKNOWN: Difference = { verdict: "unknown", noise: { amount: 0, known: false } };

export function comparedLine(line: number, net: Difference, peak: Difference = UNKNOWN): ComparedLine {
  return { before: line, after: line, text: `line_${line}()`, edited: false, net, peak };
}

export function comparison(lines: readonly ComparedLine[], changes: Partial<Comparison> = {}): Comparison {
  return {
    metric: "rss",
    before: { folders: ["/runs/before"], title: "before", runs: [{ run: runInfo() }] },
    after: { folders: ["/runs/now"], title: "now", runs: [{ run: runInfo() }] },
    peak: difference(100 * MIB, 148 * MIB),
    cudaPeak: UNKNOWN,
    boardPeak: UNKNOWN,
    baseline: UNKNOWN,
    elapsedMs: UNKNOWN,
    ledger: [],
    files: [{ path: "train.py", kind: "both", sourcesMissing: false, lines }],
    notes: [],
    ...changes,
  };
}
