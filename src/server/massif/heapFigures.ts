/** What massif says of a run's lines: bytes live at the peak, and what was measured before and after. Pure. */
import { countsPages, longestStack } from "../../massif/counted.ts";
import {
  bytesWithoutLine,
  isProjectPath,
  type LineAtPeak,
  largestOf,
  linesAtPeak,
  mostByLine,
} from "../../massif/lines.ts";
import type { MeasuredLine } from "../../massif/model.ts";
import { defined } from "../../profile/defined.ts";
import { UserError } from "../../profile/userError.ts";
import type { HeapPeak, HeapShare, LineStacks } from "../../protocol/server.ts";
import type { MassifProcess, PeakStacks } from "./processes.ts";

/** One process's part. */
export interface HeapProcess {
  readonly name: string;
  readonly process: MassifProcess;
  readonly peak?: HeapPeak & Pick<PeakStacks, "stacks" | "snapshot" | "band">;
  /** Of the project's files only, heaviest first. */
  readonly lines: readonly LineAtPeak[];
  /** Why the stacks at the peak cannot be shown; a whole sentence. */
  readonly unread?: string;
}

/** Processes have their peaks at different times, so their bytes are never added up. */
export interface HeapFigures {
  readonly processes: readonly HeapProcess[];
  /** The largest of the processes' peaks. */
  readonly peak?: HeapPeak;
}

export async function heapFigures(
  processes: readonly { readonly name: string; readonly process: MassifProcess }[],
): Promise<HeapFigures> {
  const parts: HeapProcess[] = [];
  for (const { name, process } of processes) parts.push({ name, ...(await processFigures(process)) });
  const largest = largestOf(parts.flatMap(({ peak }) => peak ?? []));
  if (largest === undefined) return { processes: parts };
  const { bytes, pages, substitute, withoutLine } = largest;
  return { processes: parts, peak: { bytes, pages, substitute, withoutLine } };
}

/** Asked for after every edit of a document: the same files give the same figures. */
const known = new WeakMap<MassifProcess, Omit<HeapProcess, "name">>();

/** A peak that cannot be read, as one with too many nodes, does not hide what is known besides. */
export async function processFigures(process: MassifProcess): Promise<Omit<HeapProcess, "name">> {
  try {
    const found = known.get(process) ?? figuresOf(process, await process.peak());
    known.set(process, found);
    return found;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...figuresOf(process, undefined), unread: error.message };
  }
}

function figuresOf(process: MassifProcess, peak: PeakStacks | undefined): Omit<HeapProcess, "name"> {
  if (peak === undefined) return { process, lines: [] };
  const { bytes, substitute, stacks, snapshot, band } = peak;
  return {
    process,
    peak: {
      bytes,
      substitute,
      stacks,
      snapshot,
      ...defined({ band }),
      pages: countsPages(process.file),
      withoutLine: bytesWithoutLine(stacks, longestStack(process.file)),
    },
    lines: linesAtPeak(stacks).filter(({ path }) => isProjectPath(path)),
  };
}

/** A line in one process. */
export interface LineInProcess {
  readonly part: HeapProcess;
  /** Absent where nothing of the line was live at the peak. */
  readonly atPeak?: LineAtPeak;
  readonly measured?: MeasuredLine;
}

/** The processes that have figures for a line, the one where it held most first. */
export function lineIn({ processes }: HeapFigures, path: string, line: number): LineInProcess[] {
  return processes
    .flatMap((part) => {
      const atPeak = part.lines.find((row) => row.exact && row.line === line && row.path === path);
      const measured = part.process.measured.lines.find((row) => row.line === line && row.path === path);
      if (atPeak === undefined && measured === undefined) return [];
      return [{ part, ...defined({ atPeak, measured }) }];
    })
    .sort((a, b) => (b.atPeak?.total ?? 0) - (a.atPeak?.total ?? 0));
}

/** Undefined where nothing of the line was live at any peak. @param folder the run's */
export function lineStacks(figures: HeapFigures, folder: string, path: string, line: number): LineStacks | undefined {
  const [first] = lineIn(figures, path, line);
  const peak = first?.part.peak;
  if (first?.atPeak === undefined || peak === undefined) return undefined;
  return { folder, path, line, file: figures.processes.indexOf(first.part), snapshot: peak.snapshot };
}

/** The lines of a file that have figures, by line: the most that each held in one process. */
export function fileShares({ processes }: HeapFigures, path: string): Map<number, HeapShare> {
  const atPeak = processes.map(({ lines }) => lines.filter((row) => row.exact && row.path === path));
  const shares = new Map(mostByLine(atPeak).map(({ line, total, own }): [number, HeapShare] => [line, { total, own }]));
  for (const { process } of processes) {
    for (const { line, net, measured, hits, path: of } of process.measured.lines) {
      if (of !== path || measured === 0) continue;
      const known = shares.get(line) ?? { total: 0, own: 0 };
      const others = known.measured ?? { net: 0, measured: 0, hits: 0 };
      const sum = { net: others.net + net, measured: others.measured + measured, hits: others.hits + hits };
      shares.set(line, { ...known, measured: sum });
    }
  }
  return shares;
}

/** The files of the project that any figure is for. */
export function filesWithFigures({ processes }: HeapFigures): string[] {
  return [
    ...new Set(
      processes.flatMap(({ lines, process }) => [...lines, ...process.measured.lines].map(({ path }) => path)),
    ),
  ];
}
