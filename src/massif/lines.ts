/** What the lines of a Python program hold in a snapshot. */

import { formatBytes, withBand } from "../profile/text/format.ts";
import { t } from "../words/t.ts";
import type { Frame, FrameTree, PythonPlace } from "./model.ts";
import { doubtsOf, withVariance } from "./sampled.ts";
import { frameTotals } from "./summary.ts";
import { foldInterpreter, isProfiler } from "./tree/frameTree.ts";
import { isImportSystem } from "./tree/interpreterFrames.ts";
import { isLine, type LinePlace, scopeToLine } from "./tree/scope.ts";
import { depths, stackOf, subtreeEnds, sumBelow } from "./tree/treeShape.ts";

export interface LineAtPeak extends Pick<PythonPlace, "path" | "line" | "function"> {
  /** False where only the function is known; `line` is then that of its definition. */
  readonly exact: boolean;
  /** Bytes that live in the snapshot and were allocated by the line or what it called; of a recursion once. */
  readonly total: number;
  /** The part of `total` that no other line of the project called in between allocated. */
  readonly own: number;
  /** Of what was sampled: half the widths within which 19 of 20 figures lie, 0 where all of it was counted. */
  readonly band?: { readonly total: number; readonly own: number };
}

/** Whether no sample met what the line allocated by itself: its `own` is not known then. Not of a difference. */
export function isOwnUnmet({ own, band }: Pick<LineAtPeak, "own" | "band">): boolean {
  return band !== undefined && own === 0;
}

/** What a line allocated by itself, as people read it. */
export function ownText(line: Pick<LineAtPeak, "own" | "band">): string {
  return isOwnUnmet(line) ? t("not met by a sample") : withBand(formatBytes(line.own), line.band?.own);
}

/**
 * Every Python line in the stacks but those of the import system, heaviest first. The owns add up to the bytes of all
 * stacks with such a line: a stack is owned by its innermost frame in the project, or by its innermost Python frame
 * where none is in the project. What the profiler took to measure a line is not the line's.
 * @param all stacks, allocators first, with all frames; or the difference of two such trees
 */
export function linesAtPeak(all: FrameTree): LineAtPeak[] {
  const stacks = withoutProfiler(all);
  const rows: PythonFrame[] = [];
  const numbers = new Map<string, number>();
  const rowOf = stacks.frames.map((frame) => {
    if (frame.kind !== "python" || isImportSystem(frame.path)) return -1;
    // Methods of the same name on one line, or a line in a function and in a lambda, are one line.
    const key = `${frame.exact} ${frame.line} ${frame.path}`;
    const number = numbers.get(key) ?? rows.push(frame) - 1;
    numbers.set(key, number);
    return number;
  });
  const totals = frameTotals(stacks, (frame) => rowOf[frame] ?? -1, rows.length);
  const own = ownBytes(stacks, rowOf, rows);
  const doubts = doubtsOf(stacks);
  const totalDoubts = doubts && frameTotals(doubts, (frame) => rowOf[frame] ?? -1, rows.length);
  const ownDoubts = doubts && ownBytes(doubts, rowOf, rows);
  return rows
    .map(({ path, line, function: name, exact }, row) => {
      const known = { path, line, function: name, exact, total: totals[row] ?? 0, own: own[row] ?? 0 };
      if (doubts === undefined) return known;
      return { ...known, band: { total: doubts.bandOf(totalDoubts?.[row]), own: doubts.bandOf(ownDoubts?.[row]) } };
    })
    .filter(({ total, own }) => total !== 0 || own !== 0)
    .sort((a, b) => Math.abs(b.total) - Math.abs(a.total) || Math.abs(b.own) - Math.abs(a.own));
}

/**
 * The lines of several processes, each as in the one that held most of it. Processes have their peaks at different
 * times, so what they held is never added up.
 */
export function mostByLine(processes: readonly (readonly LineAtPeak[])[]): LineAtPeak[] {
  const most = new Map<string, LineAtPeak>();
  for (const row of processes.flat()) {
    const key = `${row.exact} ${row.line} ${row.path}`;
    if (row.total > (most.get(key)?.total ?? Number.NEGATIVE_INFINITY)) most.set(key, row);
  }
  return [...most.values()];
}

/** The first of those with the most bytes; undefined of none. */
export function largestOf<T extends { readonly bytes: number }>(all: readonly T[]): T | undefined {
  return all.reduce<T | undefined>(
    (most, one) => (most === undefined || one.bytes > most.bytes ? one : most),
    undefined,
  );
}

/** The same nodes, without the bytes of stacks that pass through the profiler's own code. */
function withoutProfiler(stacks: FrameTree): FrameTree {
  if (!stacks.frames.some(isProfiler)) return stacks;
  const passes = passing(stacks, isProfiler);
  const without = (values: Float64Array) => values.map((value, node) => (passes[node] === 1 ? 0 : value));
  const self = without(stacks.self);
  return { ...stacks, self, total: sumBelow(stacks, self), ...withVariance(stacks.sampled, without) };
}

/** 1 for each node whose stack up to there has such a frame. */
function passing({ frames, frame, parent }: FrameTree, isSuch: (frame: Frame) => boolean): Uint8Array {
  const such = frames.map(isSuch);
  const passes = new Uint8Array(frame.length);
  for (let node = 1; node < passes.length; node++) {
    passes[node] = such[frame[node] ?? 0] === true ? 1 : (passes[parent[node] ?? 0] ?? 0);
  }
  return passes;
}

/**
 * Bytes that a line of the project may have taken without being in the stacks: massif merged the call sites, or the stack
 * is longer than the `longest` frames that it keeps. So much may be added to the lines' totals.
 * @param stacks allocators first, with all frames
 */
export function bytesWithoutLine(stacks: FrameTree, longest: number): number {
  const known = passing(stacks, (frame) => (frame.kind === "python" && isProjectPath(frame.path)) || isProfiler(frame));
  const depth = depths(stacks);
  let bytes = 0;
  for (let node = 1; node < known.length; node++) {
    const isCut = stacks.frames[stacks.frame[node] ?? 0]?.kind === "below-threshold" || (depth[node] ?? 0) >= longest;
    if (isCut && known[node] === 0) bytes += stacks.self[node] ?? 0;
  }
  return bytes;
}

export interface NativeStack {
  /** From the line to the allocator; the interpreter's own frames are left out. */
  readonly frames: readonly Frame[];
  readonly bytes: number;
}

/**
 * The heaviest stacks between a line and the allocators that it or what it called reached.
 * @param stacks allocators first, with all frames
 */
export function nativeStacks(stacks: FrameTree, place: LinePlace, limit: number): NativeStack[] {
  const tree = foldInterpreter(scopeToLine(stacks, place));
  const matches = tree.frames.map((frame) => isLine(frame, place));
  const ends = subtreeEnds(tree);
  const innermost: number[] = [];
  for (let node = 1; node < tree.frame.length; node++) {
    if (!matches[tree.frame[node] ?? 0]) continue;
    innermost.push(node);
    node = (ends[node] ?? 0) - 1;
  }
  return innermost
    .sort((a, b) => (tree.total[b] ?? 0) - (tree.total[a] ?? 0))
    .slice(0, limit)
    .map((node) => ({
      frames: stackOf(tree, node)
        .reverse()
        .flatMap((at) => tree.frames[tree.frame[at] ?? 0] ?? []),
      bytes: tree.total[node] ?? 0,
    }));
}

type PythonFrame = Extract<Frame, { kind: "python" }>;

function ownBytes(stacks: FrameTree, rowOf: readonly number[], rows: readonly PythonFrame[]): Float64Array {
  const inProject = rows.map(({ path }) => isProjectPath(path));
  const own = new Float64Array(rows.length);
  /** The row that owns a stack that ends at the node, plus 1; 0 for none. */
  const owner = new Uint32Array(stacks.frame.length);
  for (let node = 1; node < stacks.frame.length; node++) {
    const inherited = owner[stacks.parent[node] ?? 0] ?? 0;
    const row = rowOf[stacks.frame[node] ?? 0] ?? -1;
    const takesOver = row >= 0 && (inherited === 0 || (inProject[row] === true && inProject[inherited - 1] === false));
    const current = takesOver ? row + 1 : inherited;
    owner[node] = current;
    if (current > 0) own[current - 1] = (own[current - 1] ?? 0) + (stacks.self[node] ?? 0);
  }
  return own;
}

/** Paths in the project are relative; modules that are built into the interpreter have names such as `<frozen os>`. */
export function isProjectPath(path: string): boolean {
  return !path.startsWith("/") && !path.startsWith("<");
}
