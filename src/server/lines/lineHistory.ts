/** What a line took in the last runs of its script. */
import { mapLines } from "../../compare/matching/lineMap.ts";
import { byMetric } from "../../profile/lines/metric.ts";
import { deltaLabel } from "../../profile/lines/severity.ts";
import type { FileProfile, Metric } from "../../profile/model.ts";
import { openRunFolder, type RunReader } from "../../profile/run/runFolder.ts";
import { formatChange } from "../../profile/text/format.ts";
import { sourceLines } from "../../profile/text/text.ts";
import type { LineOfRun } from "../../protocol/server.ts";
import type { RunListEntry, RunSummary } from "../../runs/model.ts";
import { t } from "../../words/t.ts";

/** More takes a while to read, and to look through. */
const MOST_RUNS = 10;

/** A line of a run, and its file's text then. */
export interface LineOfShown {
  readonly folder: string;
  readonly path: string;
  readonly line: number;
  readonly source: readonly string[];
}

/**
 * The runs whose figures stand beside those of the run in `folder`: of the same script, measured alike; newest first, and
 * that run itself among them.
 */
export function comparableRuns(entries: readonly RunListEntry[], folder: string): readonly RunSummary[] {
  const runs = entries.flatMap((entry) => (entry.kind === "run" ? [entry.run] : []));
  const shown = runs.find((run) => run.folder === folder);
  if (shown === undefined) return [];
  const alike = runs.filter(
    (run) =>
      run.script === shown.script && run.massif === shown.massif && run.imported?.format === shown.imported?.format,
  );
  const newest = alike.slice(0, MOST_RUNS);
  return newest.includes(shown) ? newest : [...newest.slice(0, MOST_RUNS - 1), shown];
}

/** One run after the other: each may have a table of some ten MB. */
export async function lineHistory(
  shown: LineOfShown,
  metric: Metric,
  runs: readonly RunSummary[],
): Promise<readonly LineOfRun[]> {
  const found: LineOfRun[] = [];
  for (const run of runs) {
    const reader = openRunFolder(run.folder);
    try {
      await reader.refresh();
      found.push({ run, ...(await lineIn(reader, shown, metric)) });
    } catch (error) {
      found.push({ run, ...without(t("cannot be read: {0}", error instanceof Error ? error.message : String(error))) });
    }
  }
  return found;
}

type Found = Pick<LineOfRun, "figure" | "changed">;

async function lineIn(reader: RunReader, { path, line, source }: LineOfShown, metric: Metric): Promise<Found> {
  const profile = reader.profile();
  if (!profile.metrics.has(metric)) return without(t("not measured"));
  const file = profile.files.find((candidate) => candidate.path === path);
  if (file === undefined) return without(t("the file did not run"));
  const text = await reader.source(path);
  if (text === undefined) return without(t("its text was not kept"));
  // From the shown run's text to that run's.
  const place = mapLines(sourceLines(text), source).toProfiled(line);
  if (place === undefined) return without(t("the line was not there"));
  const { files } = byMetric({ ...profile, files: [file] }, metric);
  return { figure: figureOf(files, place.line, metric), changed: place.stale };
}

const without = (figure: string): Found => ({ figure, changed: false });

function figureOf(files: readonly FileProfile[], line: number, metric: Metric): string {
  const row = files[0]?.lines.find((candidate) => candidate.line === line);
  if (row === undefined || row.hits === 0) return t("the line did not run");
  return deltaLabel(row, metric)?.label ?? formatChange(0);
}
