/** Comparisons in view, worked out once for as long as their runs stay as they are. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import type { Comparison } from "../../compare/model.ts";
import { compareFolders, compareRepeats } from "../../compare/node/compareFolders.ts";
import type { Metric } from "../../profile/model.ts";
import type { ComparedFolders } from "../../protocol/compare.ts";

/** Without folders before, the repeats after by themselves. @throws UserError where a run cannot be read */
export type Compare = (folders: ComparedFolders, wanted: Metric) => Promise<Comparison>;

/** A page, and what is shown beside the lines; one more while they are switched. */
const KEPT = 3;
/** A run that goes on, or that was fetched again, is another one. */
const FIGURES = ["run.json", "lines.jsonl", "samples.jsonl", "moments.jsonl"];

const compare: Compare = ({ before, after }, wanted) =>
  before.length === 0 ? compareRepeats(after, wanted) : compareFolders({ before, after }, wanted);

export function createComparisons(): Compare {
  const kept = new Map<string, { readonly version: string; readonly comparison: Promise<Comparison> }>();
  return async (folders, wanted) => {
    const key = JSON.stringify([folders.before, folders.after, wanted]);
    // Taken first: what is written while the runs are read makes them another version.
    const version = await versionOf([...folders.before, ...folders.after]);
    const known = kept.get(key);
    const comparison = known?.version === version ? known.comparison : compare(folders, wanted);
    kept.delete(key);
    kept.set(key, { version, comparison });
    const oldest = kept.keys().next().value;
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
    try {
      return await comparison;
    } catch (error) {
      if (kept.get(key)?.comparison === comparison) kept.delete(key);
      throw error;
    }
  };
}

async function versionOf(folders: readonly string[]): Promise<string> {
  const files = folders.flatMap((folder) => FIGURES.map((name) => path.join(folder, name)));
  const states = files.map((file) =>
    fs.stat(file).then(
      ({ size, mtimeMs }) => `${size} ${mtimeMs}`,
      // Missing, or not ours to look at: whoever reads it says so.
      (error: NodeJS.ErrnoException) => error.code,
    ),
  );
  return (await Promise.all(states)).join();
}
