/** Calls that had not ended when their process did, or when last heard of: what they came to is not known. */
import type { FileProfile, FunctionRow, LinePlaceOfThread, LineRow, Profile } from "../model.ts";
import { hasEnded, linesByFunction, netOrSelf } from "./totals.ts";

/**
 * Without the net of each line that a thread was executing, where its last hit took more than is in the net, which is of
 * hits that ended: what the line took in all is not known then, as of one that never ended.
 */
export function withoutNetOfOpen(
  files: readonly FileProfile[],
  lastLines: readonly LinePlaceOfThread[],
): readonly FileProfile[] {
  const open = new Set(lastLines.map(({ path, line }) => `${line} ${path}`));
  if (open.size === 0) return files;
  return files.map((file) => {
    const isCut = (row: LineRow) => tookMore(row) && open.has(`${row.line} ${file.path}`);
    return file.lines.some(isCut)
      ? { ...file, lines: file.lines.map((row) => (isCut(row) ? withoutNet(row) : row)) }
      : file;
  });
}

const tookMore = ({ net, self }: LineRow): boolean => net !== undefined && self !== undefined && self > net;

function withoutNet({ net: _, ...row }: LineRow): LineRow {
  return row;
}

export interface Unfinished {
  readonly calls: number;
  /** Where no call ended: bytes that the lines of one call took until then, with those of the calls on them. */
  readonly atLeast?: number;
}

interface Part {
  readonly row: FunctionRow | undefined;
  readonly taken: number;
}

/** By the function's row, or for a file's module level by its path: nobody counts its calls. */
export type UnfinishedCalls = ReadonlyMap<FunctionRow | string, Unfinished>;

/** Of `files`, which are the profile's as any measure tells them; what has ended is left out. */
export function unfinishedCalls(files: readonly FileProfile[], { run }: Pick<Profile, "run">): UnfinishedCalls {
  const found = new Map<FunctionRow | string, Unfinished>();
  for (const { functions } of files) {
    for (const row of functions) if (!hasEnded(row)) found.set(row, { calls: row.calls });
  }
  if (run.lastLines.length === 0) return found;
  const parts = partsByLine(files);
  for (const thread of run.lastLines) addOpen(thread, parts, found);
  return found;
}

/** Goes outwards: what an inner call took is the outer one's too. */
function addOpen(
  { path, line, stack }: LinePlaceOfThread,
  parts: ReadonlyMap<string, ReadonlyMap<number, Part>>,
  found: Map<FunctionRow | string, Unfinished>,
): void {
  const open = new Map<FunctionRow | string, number>();
  let taken = 0;
  for (const place of [...(stack ?? [{ path, line }])].reverse()) {
    const part = parts.get(place.path)?.get(place.line);
    if (part === undefined) continue;
    const key = part.row ?? place.path;
    const calls = (open.get(key) ?? 0) + 1;
    open.set(key, calls);
    // Of a function that has ended before, the figures are of those calls.
    if (part.row?.timeNs !== undefined) continue;
    // A recursion's are counted once.
    if (calls === 1) taken += part.taken;
    const before = found.get(key);
    found.set(key, { calls: before?.calls ?? calls, atLeast: Math.max(taken, before?.atLeast ?? 0) });
  }
  for (const [row, calls] of open) {
    if (typeof row === "string" || row.timeNs === undefined) continue;
    // One of them ended, whatever the stack says.
    const most = Math.min((found.get(row)?.calls ?? 0) + calls, row.calls - 1);
    if (most > 0) found.set(row, { calls: most });
  }
}

function partsByLine(files: readonly FileProfile[]): ReadonlyMap<string, ReadonlyMap<number, Part>> {
  return new Map(
    files.map((file) => {
      const byLine = new Map<number, Part>();
      for (const { row, lines } of linesByFunction(file)) {
        const part = { row, taken: lines.reduce((sum, figures) => sum + netOrSelf(figures), 0) };
        for (const { line } of lines) byLine.set(line, part);
      }
      return [file.path, byLine];
    }),
  );
}
