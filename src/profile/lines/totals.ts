/** Sums that count nothing twice, and which function a line belongs to. */
import { defined } from "../defined.ts";
import type { Figures, FileProfile, FunctionRow, LineRow, Metric, Profile } from "../model.ts";

/** What a line took in all; of one that never ended that is not known: what it took itself until then. */
export function netOrSelf(figures: Pick<Figures, "net" | "self">): number {
  return figures.net ?? figures.self ?? 0;
}

/** What a line took at most: its net or what it held for a while, whichever is more; 0 where it took nothing. */
export function weight(figures: Pick<Figures, "net" | "self" | "peak">): number {
  return Math.max(0, netOrSelf(figures), figures.peak ?? 0);
}

/** Lines as one row: of statements none of which holds another, as imports, what they took adds up. */
export function together(lines: readonly Pick<Figures, "net" | "self" | "peak">[]): {
  readonly net: number;
  /** What one of them held at most; absent where that is known of none. */
  readonly peak?: number;
} {
  return { net: lines.reduce((sum, line) => sum + netOrSelf(line), 0), ...defined({ peak: mostPeak(lines) }) };
}

/**
 * What a file's own lines took: the sum of `self`, which never counts a callee's memory twice. Undefined where no
 * self was measured.
 */
export function fileNet(file: FileProfile): number | undefined {
  return sumOf(file.lines, (row) => row.self);
}

/** What decides the order of files: their own memory, or their heaviest line where that is not known. */
export function fileWeight(file: FileProfile): number {
  return fileNet(file) ?? file.lines.reduce((most, row) => Math.max(most, weight(row)), 0);
}

/**
 * What a line's share is taken of, bytes. Of RSS it is the run's peak, so that in a run that hardly grew no line is heavy.
 * The other measures begin at nothing, or at what other programs hold: of those it is what the lines took.
 * @param profile by the metric
 * @param rssPeak of the run; unknown where absent
 */
export function wholeOf(profile: Profile, metric: Metric, rssPeak: number | undefined): number {
  return Math.max(metric === "rss" ? (rssPeak ?? 0) : 0, growth(profile));
}

/** The most that all lines together, or one line alone, took. */
function growth(profile: Profile): number {
  let most = sumOf(profile.files, fileNet) ?? 0;
  for (const file of profile.files) {
    for (const row of file.lines) most = Math.max(most, weight(row));
  }
  return most;
}

/** A function with the lines that are its own, not an inner function's. `row` is absent for the module level. */
export interface FunctionLines {
  readonly name: string;
  readonly defLine: number;
  readonly row?: FunctionRow;
  readonly lines: readonly LineRow[];
}

export const MODULE_LEVEL = "<module>";

/** Gives each measured line to the innermost function around it; functions without any are left out. */
export function linesByFunction(file: FileProfile): FunctionLines[] {
  const functions = file.functions.filter((row) => row.name !== MODULE_LEVEL);
  const found = new Map<FunctionRow | undefined, LineRow[]>();
  // Sorted by start, a stack of the functions that are open at a line is enough: files have thousands of both.
  const byStart = [...functions].sort((a, b) => a.defLine - b.defLine || b.lastLine - a.lastLine);
  const open: FunctionRow[] = [];
  let next = 0;
  for (const row of [...file.lines].sort((a, b) => a.line - b.line)) {
    for (let start = byStart[next]; start !== undefined && start.defLine < row.line; start = byStart[++next]) {
      open.push(start);
    }
    while (open.length > 0 && (open.at(-1)?.lastLine ?? 0) < row.line) open.pop();
    const inner = enclosing(open, byStart, next, row.line);
    const lines = found.get(inner);
    if (lines === undefined) found.set(inner, [row]);
    else lines.push(row);
  }
  const moduleRow = file.functions.find((row) => row.name === MODULE_LEVEL);
  return [...found].map(([row, lines]) =>
    row === undefined
      ? { name: MODULE_LEVEL, defLine: 1, ...(moduleRow ? { row: moduleRow } : {}), lines }
      : { name: row.name, defLine: row.defLine, row, lines },
  );
}

/**
 * A `def` statement runs in the scope around it, so a line is inside a function only below its first line; a
 * function that is written on that one line (`def f(): return g()`) has no other line to be measured on.
 */
function enclosing(
  open: readonly FunctionRow[],
  byStart: readonly FunctionRow[],
  next: number,
  line: number,
): FunctionRow | undefined {
  for (let i = next; byStart[i]?.defLine === line; i++) {
    const candidate = byStart[i];
    if (
      candidate !== undefined &&
      candidate.lastLine === line &&
      candidate.calls > 0 &&
      candidate.name !== "<lambda>"
    ) {
      return candidate;
    }
  }
  for (let i = open.length - 1; i >= 0; i--) {
    const candidate = open[i];
    if (candidate !== undefined && candidate.lastLine >= line) return candidate;
  }
  return undefined;
}

/** Whether a call of the function ended; else none of its figures is known. */
export function hasEnded({ calls, timeNs }: Pick<FunctionRow, "calls" | "timeNs">): boolean {
  return calls === 0 || timeNs !== undefined;
}

/** A function's net: as measured, or its lines' where the engine counts no functions. */
export function functionNet(part: FunctionLines): number | undefined {
  if (part.row !== undefined && part.row.calls > 0) return part.row.net;
  return sumOf(part.lines, (row) => row.net);
}

/** The most a function held above its entry: as measured, or where the engine counts no functions its lines' most. */
export function functionPeak(part: FunctionLines): number | undefined {
  if (part.row !== undefined && part.row.calls > 0) return part.row.peak;
  return mostPeak(part.lines);
}

/** Of what is known; undefined where nothing is. */
function mostPeak(lines: readonly Pick<Figures, "peak">[]): number | undefined {
  let most: number | undefined;
  for (const { peak } of lines) if (peak !== undefined) most = Math.max(most ?? peak, peak);
  return most;
}

/** Of what is known; undefined where nothing is. In one pass, as a file may have very many lines. */
function sumOf<T>(items: readonly T[], of: (item: T) => number | undefined): number | undefined {
  let sum: number | undefined;
  for (const item of items) {
    const value = of(item);
    if (value !== undefined) sum = (sum ?? 0) + value;
  }
  return sum;
}

/** A line of the project; `path` is relative to it. */
export interface LinePlace {
  readonly path: string;
  readonly line: number;
}

/** The `count` lines whose net moved most, up or down; of equal ones, first those that held most for a while. */
export function heaviestLines(profile: Pick<Profile, "files">, count: number): LinePlace[] {
  return profile.files
    .flatMap(({ path, lines }) =>
      lines.map((row) => ({ path, line: row.line, net: Math.abs(netOrSelf(row)), peak: row.peak ?? 0 })),
    )
    .filter(({ net, peak }) => net > 0 || peak > 0)
    .sort((a, b) => b.net - a.net || b.peak - a.peak)
    .slice(0, count)
    .map(({ path, line }) => ({ path, line }));
}
