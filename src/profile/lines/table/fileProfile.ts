/** What was counted in a file of one process, as views read it. */
import { inTurns } from "../../files/inTurns.ts";
import type { CudaFigures, FileProfile, FunctionRow, LineRow, SystemFigures } from "../../model.ts";
import type { FileHead, FunctionCounts } from "./records.ts";

export interface FileCounters {
  readonly lines: Map<number, LineRow>;
  readonly cuda: Map<number, CudaFigures>;
  readonly system: Map<number, SystemFigures>;
  readonly functions: Map<number, FunctionCounts>;
  /** What these came to last, until they change: of many files few do between two looks at a run that goes on. */
  profile?: { readonly file: FileProfile; readonly head: FileHead; readonly taken: Taken } | undefined;
}

/** Which measures were taken in a process. */
export interface Taken {
  readonly cuda: boolean;
  readonly system: boolean;
}

const NO_CUDA: CudaFigures = {
  net: 0,
  self: 0,
  uncertain: 0,
  maxIncrement: 0,
  peak: 0,
  peakMost: 0,
  reservedNet: 0,
  reservedSelf: 0,
  reservedPeak: 0,
};

function areEqual(a: Taken, b: Taken): boolean {
  return a.cuda === b.cuda && a.system === b.system;
}

/** That of the last time where nothing of it has changed. */
export async function profileOf(head: FileHead, counters: FileCounters, taken: Taken): Promise<FileProfile> {
  const last = counters.profile;
  if (last?.head === head && areEqual(last.taken, taken)) return last.file;
  const file = await fileProfile(head, counters, taken);
  counters.profile = { file, head, taken };
  return file;
}

async function fileProfile(head: FileHead, counters: FileCounters, taken: Taken): Promise<FileProfile> {
  const functions = head.functions.map((place): FunctionRow => {
    const counts = counters.functions.get(place.key) ?? { calls: 0, timeNs: 0 };
    return { name: place.name, key: place.key, defLine: place.def_line, lastLine: place.last_line, ...counts };
  });
  return {
    path: head.path,
    sha256: head.sha256,
    lines: await lineRows(counters, taken),
    functions,
  };
}

/**
 * A line that ran where CUDA was measured, and has no row of it, moved nothing there. The board's memory is read now and
 * then only: what a line without a row moved of it is not known. A forked worker's line may have moved it without having
 * begun in the worker: then it has no other figures.
 */
async function lineRows({ lines, cuda, system }: FileCounters, taken: Taken): Promise<LineRow[]> {
  const numbers = new Set(lines.keys());
  for (const measure of [cuda, system]) for (const line of measure.keys()) numbers.add(line);
  return await inTurns(
    [...numbers].sort((a, b) => a - b),
    (line) => {
      const row = lines.get(line) ?? { line, hits: 0 };
      if (!taken.cuda && !taken.system) return row;
      const whole: { -readonly [Key in keyof LineRow]: LineRow[Key] } = { ...row };
      if (taken.cuda) whole.cuda = cuda.get(line) ?? NO_CUDA;
      const board = system.get(line);
      if (board !== undefined) whole.system = board;
      return whole;
    },
  );
}
