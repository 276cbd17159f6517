/** What the lines of a run under massif held when its main process's heap was largest. */
import * as path from "node:path";
import { countsPages } from "../../massif/counted.ts";
import { isProjectPath, linesAtPeak } from "../../massif/lines.ts";
import { openMassif } from "../../massif/node/massifSource.ts";
import { readSidecars } from "../../massif/node/sidecars.ts";
import { peakPlace } from "../../massif/snapshots.ts";
import { labelFacts } from "../../massif/tree/frames.ts";
import { frameTreeOf } from "../../massif/tree/frameTree.ts";
import { MASSIF_DEFAULTS } from "../../profile/massifDefaults.ts";
import type { RunInfo } from "../../profile/model.ts";
import { UserError } from "../../profile/userError.ts";
import type { HeapPeak } from "../side.ts";

/** Undefined where massif wrote no stacks, or what it wrote cannot be read: the heap is not known then. */
export async function readHeapPeak(folder: string, run: RunInfo): Promise<HeapPeak | undefined> {
  const main = run.processes.find(({ kind }) => kind === "main");
  if (main === undefined) return undefined;
  try {
    return await heapPeak(path.join(folder, `massif.out.${main.pid}`), run);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

async function heapPeak(file: string, run: RunInfo): Promise<HeapPeak | undefined> {
  const massif = await openMassif(file);
  const place = peakPlace(massif.file.snapshots);
  const snapshot = place === undefined ? undefined : massif.file.snapshots[place];
  if (place === undefined || snapshot === undefined) return undefined;
  const [calls, { frames }] = await Promise.all([massif.tree(place), readSidecars(file)]);
  const percent = run.engine.massif?.threshold ?? MASSIF_DEFAULTS.threshold;
  return {
    bytes: snapshot.heap,
    pages: countsPages(massif.file),
    threshold: (snapshot.heap * percent) / 100,
    lines: byPlace(linesAtPeak(frameTreeOf(calls, labelFacts(calls.labels, frames)))),
  };
}

function byPlace(lines: ReturnType<typeof linesAtPeak>): HeapPeak["lines"] {
  const files = new Map<string, Map<number, number>>();
  for (const { path: file, line, exact, total } of lines) {
    if (!exact || !isProjectPath(file)) continue;
    const known = files.get(file) ?? new Map<number, number>();
    files.set(file, known.set(line, total));
  }
  return files;
}
