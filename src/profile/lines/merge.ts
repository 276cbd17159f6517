/** Tables of several processes as one: what was taken adds up, what was highest stays the highest. */
import { present } from "../files/jsonRecords.ts";
import type { Figures, FileProfile, FunctionRow, LineRow } from "../model.ts";
import { CUDA_FIGURES, LINE_FIGURES, SYSTEM_FIGURES, together } from "./figureNames.ts";
import { netOrSelf } from "./totals.ts";

/** Merges the files of several processes by path; the order is that of first appearance. */
export function mergeFiles(tables: readonly (readonly FileProfile[])[]): FileProfile[] {
  const byPath = new Map<string, FileProfile>();
  for (const file of tables.flat()) {
    const known = byPath.get(file.path);
    byPath.set(file.path, known === undefined ? file : mergeFile(known, file));
  }
  return [...byPath.values()];
}

function mergeFile(a: FileProfile, b: FileProfile): FileProfile {
  return {
    path: a.path,
    sha256: a.sha256,
    lines: mergeBy(a.lines, b.lines, (row) => row.line, mergeLine).sort((x, y) => x.line - y.line),
    functions: mergeBy(a.functions, b.functions, (row) => row.key, mergeFunction),
  };
}

function mergeBy<T>(a: readonly T[], b: readonly T[], key: (row: T) => number, merge: (x: T, y: T) => T): T[] {
  const rows = new Map(a.map((row) => [key(row), row]));
  for (const row of b) {
    const known = rows.get(key(row));
    rows.set(key(row), known === undefined ? row : merge(known, row));
  }
  return [...rows.values()];
}

function mergeLine(a: LineRow, b: LineRow): LineRow {
  return present({
    line: a.line,
    ...together<Figures>(a, b, LINE_FIGURES),
    net: netOfBoth(a, b),
    ...highestPeak(a, b),
    cuda: both(a.cuda, b.cuda, (x, y) => together(x, y, CUDA_FIGURES)),
    system: both(a.system, b.system, (x, y) => together(x, y, SYSTEM_FIGURES)),
  });
}

/** Where the line never ended in one of them, as that which started a worker, what it took there itself is in it. */
function netOfBoth(a: LineRow, b: LineRow): number | undefined {
  return a.net === undefined && b.net === undefined ? undefined : netOrSelf(a) + netOrSelf(b);
}

/** The lower one may be the higher one where it is less certain. */
function highestPeak(a: LineRow, b: LineRow): Record<"peak" | "peakUncertain", number | undefined> {
  const peak = highest(a.peak, b.peak);
  const most = ({ peak: of, peakUncertain }: LineRow) => (of === undefined ? undefined : of + (peakUncertain ?? 0));
  if (peak === undefined || (a.peakUncertain ?? b.peakUncertain) === undefined)
    return { peak, peakUncertain: undefined };
  return { peak, peakUncertain: Math.max(most(a) ?? 0, most(b) ?? 0) - peak };
}

function mergeFunction(a: FunctionRow, b: FunctionRow): FunctionRow {
  return present({
    ...a,
    calls: a.calls + b.calls,
    timeNs: sum(a.timeNs, b.timeNs),
    net: sum(a.net, b.net),
    peak: highest(a.peak, b.peak),
  });
}

function both<T>(a: T | undefined, b: T | undefined, merge: (x: T, y: T) => T): T | undefined {
  return a === undefined ? b : b === undefined ? a : merge(a, b);
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return both(a, b, (x, y) => x + y);
}

function highest(a: number | undefined, b: number | undefined): number | undefined {
  return both(a, b, Math.max);
}
