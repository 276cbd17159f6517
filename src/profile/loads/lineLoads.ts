/** What a line loaded, and what that took: from the files that were seen while it was long. Pure. */
import { present } from "../files/jsonRecords.ts";
import type { FileLoad, LineRow, Profile } from "../model.ts";

/** Bytes; what is not known is absent. */
export interface LineLoad {
  readonly path: string;
  readonly line: number;
  /** Largest first, each once. */
  readonly files: readonly FileLoad[];
  /** Of the files. */
  readonly size: number;
  /** By how much the process grew at most above what it had as the line began, what it gave back of that included. */
  readonly peak?: number;
  /** What of that was still there as the line ended. */
  readonly kept?: number;
  /** Of mappings of the files. */
  readonly mapped?: number;
  /** Pages of the files in the process at once, as far as they were seen, and those that were copied as something wrote into them. */
  readonly resident?: number;
  readonly copied?: number;
  /** Pages of other files that came meanwhile, as CUDA's libraries. */
  readonly others?: number;
  /** The GPU's part: what PyTorch reserved on the line, else by how much NvMap's buffers grew meanwhile. */
  readonly gpu?: number;
  readonly gpuFrom?: "reserved" | "nvmap";
}

/** By process and line. */
export function lineLoads({
  loads = [],
  files,
  byProcess,
}: Pick<Profile, "loads" | "files" | "byProcess">): LineLoad[] {
  const byLine = new Map<string, FileLoad[]>();
  for (const load of loads) {
    const key = `${load.pid} ${load.at.line} ${load.at.path}`;
    byLine.set(key, [...(byLine.get(key) ?? []), load]);
  }
  return [...byLine.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const { pid, at } = first;
    const table = (byProcess.get(pid) ?? files).find(({ path }) => path === at.path);
    return [
      lineLoad(
        at,
        [first, ...more],
        table?.lines.find(({ line }) => line === at.line),
      ),
    ];
  });
}

function lineLoad(at: FileLoad["at"], loads: readonly FileLoad[], row: LineRow | undefined): LineLoad {
  const files = [...loads].sort((a, b) => b.size - a.size);
  const seen = grown(loads, "rss");
  return {
    ...at,
    files,
    size: sum(files, "size") ?? 0,
    ...present({
      peak: most(row?.peak, row?.maxIncrement, seen),
      // What all its executions kept says nothing of the one that was looked at.
      kept: row?.hits === 1 ? row.net : row?.maxIncrement,
      mapped: sum(files, "mapped"),
      resident: sum(files, "resident"),
      copied: sum(files, "copied"),
      others: othersOf(loads),
    }),
    ...gpuOf(loads, row),
  };
}

function gpuOf(loads: readonly FileLoad[], row: LineRow | undefined): Pick<LineLoad, "gpu" | "gpuFrom"> {
  if (row?.cuda !== undefined) {
    const { reservedPeak = 0, reservedNet, maxIncrement = 0 } = row.cuda;
    return { gpu: Math.max(reservedPeak, reservedNet, maxIncrement, 0), gpuFrom: "reserved" };
  }
  const nvmap = grown(loads, "nvmap");
  return nvmap === undefined ? {} : { gpu: Math.max(0, nvmap), gpuFrom: "nvmap" };
}

/** Not known where the files are mapped, and what of them was in memory could not be read. */
function othersOf(loads: readonly FileLoad[]): number | undefined {
  const all = grown(loads, "mapped");
  const unread = loads.some(({ mapped, resident }) => mapped !== undefined && resident === undefined);
  const own = loads.reduce((bytes, { resident = 0, copied = 0 }) => bytes + Math.max(0, resident - copied), 0);
  return all === undefined || unread ? undefined : Math.max(0, all - own);
}

function grown(loads: readonly FileLoad[], figure: "rss" | "mapped" | "nvmap"): number | undefined {
  return most(
    ...loads.map(({ before, most: then }) => {
      const [a, b] = [before[figure], then[figure]];
      return a === undefined || b === undefined ? undefined : b - a;
    }),
  );
}

function most(...figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function sum(files: readonly FileLoad[], figure: "size" | "mapped" | "resident" | "copied"): number | undefined {
  const known = files.flatMap((file) => file[figure] ?? []);
  return known.length === 0 ? undefined : known.reduce((all, one) => all + one, 0);
}
