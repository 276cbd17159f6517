/** Tables of several processes as one: what was taken adds up, what was highest stays the highest. */
import { present } from "../files/jsonRecords.ts";
import type { CudaFigures, FileProfile, FunctionRow, LineRow, SystemFigures } from "../model.ts";
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
    hits: sum(a.hits, b.hits),
    net: netOfBoth(a, b),
    self: sum(a.self, b.self),
    maxIncrement: highest(a.maxIncrement, b.maxIncrement),
    ...highestPeak(a, b),
    usage: highest(a.usage, b.usage),
    uncertain: sum(a.uncertain, b.uncertain),
    cuda: both(a.cuda, b.cuda, mergeCuda),
    system: both(a.system, b.system, mergeSystem),
  });
}

/** Where the line never ended in one of them, as that which started a worker, what it took there itself is in it. */
function netOfBoth(a: LineRow, b: LineRow): number | undefined {
  return a.net === undefined && b.net === undefined ? undefined : netOrSelf(a) + netOrSelf(b);
}

/** The lower one may be the higher one where it is less certain. */
function highestPeak(a: LineRow, b: LineRow): Pick<LineRow, "peak" | "peakUncertain"> {
  const peak = highest(a.peak, b.peak);
  const most = ({ peak: of, peakUncertain }: LineRow) => (of === undefined ? undefined : of + (peakUncertain ?? 0));
  if (peak === undefined || (a.peakUncertain ?? b.peakUncertain) === undefined) return present({ peak });
  return present({ peak, peakUncertain: Math.max(most(a) ?? 0, most(b) ?? 0) - peak });
}

function mergeCuda(a: CudaFigures, b: CudaFigures): CudaFigures {
  return present({
    net: a.net + b.net,
    self: a.self + b.self,
    maxIncrement: Math.max(a.maxIncrement, b.maxIncrement),
    peak: Math.max(a.peak, b.peak),
    peakMost: Math.max(a.peakMost, b.peakMost),
    reservedNet: a.reservedNet + b.reservedNet,
    reservedSelf: a.reservedSelf + b.reservedSelf,
    reservedPeak: Math.max(a.reservedPeak, b.reservedPeak),
    deviceNet: sum(a.deviceNet, b.deviceNet),
    uncertain: a.uncertain + b.uncertain,
  });
}

function mergeSystem(a: SystemFigures, b: SystemFigures): SystemFigures {
  return present({
    net: a.net + b.net,
    self: a.self + b.self,
    nvmapNet: sum(a.nvmapNet, b.nvmapNet),
    uncertain: a.uncertain + b.uncertain,
  });
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
