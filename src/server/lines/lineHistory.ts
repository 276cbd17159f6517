/** What a line took in the last runs of its script. */
import { mapLines } from "../../compare/matching/lineMap.ts";
import { byMetric, metricPrefix } from "../../profile/lines/metric.ts";
import { netText } from "../../profile/lines/netText.ts";
import { deltaLabel } from "../../profile/lines/severity.ts";
import type { Metric, Profile } from "../../profile/model.ts";
import { openRunFolder, type RunReader } from "../../profile/run/runFolder.ts";
import { printable, sourceLines } from "../../profile/text/text.ts";
import type { LineHistory, LineOfRun } from "../../protocol/server.ts";
import type { RunListEntry, RunSummary } from "../../runs/model.ts";
import { t } from "../../words/t.ts";
import { pathsNow } from "../notebook/cellPaths.ts";
import type { OpenCell } from "../notebook/matching.ts";
import { TEXT_LENGTH } from "./views.ts";

/** More takes a while to read, and to look through. */
const MOST_RUNS = 10;

/** A line of the shown run. */
export interface LineOfShown {
  readonly reader: RunReader;
  readonly path: string;
  readonly line: number;
  /** Its file's lines as they ran. */
  readonly source: readonly string[];
  readonly metric: Metric;
}

/** Runs of the same script that may be measured alike; newest first, and the shown one among them. */
export function runsAlike(entries: readonly RunListEntry[], folder: string): readonly RunSummary[] {
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

/**
 * Null where the shown run has no figure of the line. One run is read after the other: each may have some ten MB.
 * @throws what `signal` was aborted with
 */
export async function lineHistory(
  shown: LineOfShown,
  runs: readonly RunSummary[],
  signal: AbortSignal,
): Promise<LineHistory | null> {
  const { reader, path, line, source, metric } = shown;
  const profile = reader.profile();
  if (figureOf(profile, path, line, metric) === undefined) return null;
  const cells = await cellsOf(reader);
  const found: LineOfRun[] = [];
  for (const run of runs) {
    signal.throwIfAborted();
    // The shown run's own reader is refreshed by who keeps it, whose readings take turns.
    const isShown = run.folder === reader.folder;
    const other = isShown ? reader : openRunFolder(run.folder);
    try {
      if (!isShown) await other.refresh();
      // Two engines' figures do not stand beside each other.
      if (other.profile().run.engine.name !== profile.run.engine.name) continue;
      found.push({ run, ...(await lineIn(other, shown, cells)) });
    } catch (error) {
      found.push({ run, figure: t("cannot be read: {0}", error instanceof Error ? error.message : String(error)) });
    }
  }
  return { path, line, text: shortened(source[line - 1]), runs: found };
}

const shortened = (text = ""): string => printable(text.trim()).slice(0, TEXT_LENGTH);

/** The cells of a notebook's run, by which they are found in another run: their numbers may be others there. */
async function cellsOf(reader: RunReader): Promise<readonly OpenCell[]> {
  const cells = reader.profile().run.notebook?.cells ?? [];
  return await Promise.all(
    cells.map(async ({ number: _, path, ...cell }) => ({
      ...cell,
      uri: path,
      text: (await reader.source(path)) ?? "",
    })),
  );
}

async function lineIn(
  reader: RunReader,
  { path, line, source, metric }: LineOfShown,
  cells: readonly OpenCell[],
): Promise<Pick<LineOfRun, "figure" | "textThen">> {
  const profile = reader.profile();
  if (!profile.metrics.has(metric)) return { figure: t("not measured") };
  const { notebook } = profile.run;
  const there = notebook === undefined ? path : (await pathsNow(reader, notebook, cells)).get(path);
  const text = there === undefined ? undefined : await reader.source(there);
  if (there === undefined || text === undefined) return { figure: t("no figure") };
  const lines = sourceLines(text);
  // From the shown run's text to that run's.
  const place = mapLines(lines, source).toProfiled(line);
  if (place === undefined) return { figure: t("the line was not there") };
  const then = lines[place.line - 1];
  return {
    figure: figureOf(profile, there, place.line, metric) ?? t("no figure"),
    ...(then?.trim() === source[line - 1]?.trim() ? {} : { textThen: shortened(then) }),
  };
}

/** As it stands beside the line; undefined where it is not known, or the line did not run. */
function figureOf(profile: Profile, path: string, line: number, metric: Metric): string | undefined {
  const file = profile.files.find((candidate) => candidate.path === path);
  const [shown] = file === undefined ? [] : byMetric({ ...profile, files: [file] }, metric).files;
  const row = shown?.lines.find((candidate) => candidate.line === line);
  if (row === undefined || (row.net ?? row.self ?? row.peak) === undefined) return undefined;
  return deltaLabel(row, metric)?.label ?? `${metricPrefix(metric)}${netText(row)}`;
}
