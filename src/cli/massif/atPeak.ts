/** Which Python lines held the memory of a run with native stacks at its peak: a table for each process. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { sampledMean as lastMean, longestStack } from "../../massif/counted.ts";
import { bytesWithoutLine, isProjectPath, type LineAtPeak, linesAtPeak, ownText } from "../../massif/lines.ts";
import type { MeasuredLine } from "../../massif/model.ts";
import { openMassif } from "../../massif/node/massifSource.ts";
import { readSampled } from "../../massif/node/sampledErrors.ts";
import { pidOf, readSidecars } from "../../massif/node/sidecars.ts";
import { peakPlace } from "../../massif/snapshots.ts";
import { labelFacts } from "../../massif/tree/frames.ts";
import { frameTreeOf } from "../../massif/tree/frameTree.ts";
import type { Paint } from "../../profile/lines/annotate.ts";
import type { LinePlace } from "../../profile/lines/totals.ts";
import type { RunInfo } from "../../profile/model.ts";
import { sampledMean } from "../../profile/run/nativeStacks.ts";
import { formatBytes, formatCount, withBand } from "../../profile/text/format.ts";
import { samplingNote, samplingTitle } from "../../profile/text/samplingNote.ts";
import { aligned } from "../../profile/text/table.ts";
import { printable, sourceLines } from "../../profile/text/text.ts";
import { UserError } from "../../profile/userError.ts";
import { t } from "../../words/t.ts";
import { byChange, measuredCells, measuredHeadings } from "./measuredCells.ts";

/** A file's text as it was run; undefined where it was not kept. */
export type SourceOf = (projectPath: string) => Promise<string | undefined>;

const MOST_ROWS = 15;
const PARTS = 3;

interface Process {
  readonly label: string;
  /** What massif counted. */
  readonly counted: string;
  readonly isSampled: boolean;
}

/** What there is to say of each process; a file that cannot be read is named with the reason. */
export async function atPeakTables(folder: string, run: RunInfo, source: SourceOf, paint: Paint): Promise<string[]> {
  const names = await fs.readdir(folder);
  const files = names.filter((name) => pidOf(name) !== undefined);
  const labels = new Map(run.processes.map(({ pid, label }) => [`massif.out.${pid}`, label]));
  const place = (name: string): number => {
    const known = [...labels.keys()].indexOf(name);
    return known < 0 ? labels.size : known;
  };
  const counted = run.engine.massif?.pagesAsHeap === true ? t("mapped pages") : "heap";
  const asked = sampledMean(run.engine);
  const tables: string[] = [];
  const means: number[] = [];
  for (const name of files.sort((a, b) => place(a) - place(b) || a.localeCompare(b))) {
    const label = labels.get(name) ?? t("process {0}", name.slice("massif.out.".length));
    const shown = { label, counted, isSampled: asked !== undefined };
    const { text, mean } = await processTable(path.join(folder, name), shown, source, paint);
    tables.push(text);
    if (mean !== undefined) means.push(mean);
  }
  if (tables.length > 0) {
    if (asked !== undefined) {
      tables.unshift(paint.strong(samplingTitle(asked)));
      tables.push(samplingNote(Math.max(asked, ...means)));
    }
    tables.push(
      paint.faint(t("All stacks: jetson-memprof massif {0}", printable(path.join(folder, "massif.out.PID")))),
    );
  }
  return tables;
}

async function processTable(
  file: string,
  { label, counted, isSampled }: Process,
  source: SourceOf,
  paint: Paint,
): Promise<{ readonly text: string; readonly mean?: number | undefined }> {
  try {
    const massif = await openMassif(file);
    const { frames, measured, problems } = await readSidecars(file);
    const { snapshots } = massif.file;
    const place = peakPlace(snapshots);
    const snapshot = place === undefined ? undefined : snapshots[place];
    const parts: string[] = [];
    if (place === undefined || snapshot === undefined)
      parts.push(paint.strong(printable(t("{0}: no stacks were kept", label))));
    else {
      const which = snapshot.tree.kind === "peak" ? t("at its peak") : t("in the largest snapshot with stacks");
      parts.push(paint.strong(printable(t("{0}: {1} of {2} {3}", label, formatBytes(snapshot.heap), counted, which))));
      const calls = await massif.tree(place);
      const sampled = await readSampled(file, massif.file, snapshot.number, calls);
      const stacks = frameTreeOf(calls, labelFacts(calls.labels, frames), sampled);
      // Not as arguments: a function takes some hundred thousand at most.
      for (const row of await lineTable(linesAtPeak(stacks), source, paint)) parts.push(row);
      const without = frames.level === "none" || isSampled ? 0 : bytesWithoutLine(stacks, longestStack(massif.file));
      if (without > 0) {
        parts.push(
          t(
            "{0} are on no line: massif merges small call sites and cuts long stacks, as those of imports, so a line may hold more than is shown. --massif-line measures a line as a whole.",
            formatBytes(without),
          ),
        );
      }
    }
    parts.push(...(await measuredTable(measured.lines, source, paint)));
    parts.push(...problems.map((problem) => printable(t("Note: {0}", problem))));
    return { text: parts.join("\n"), mean: lastMean(massif.file) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { text: printable(`${label}: ${error.message}`) };
  }
}

async function lineTable(lines: readonly LineAtPeak[], source: SourceOf, paint: Paint): Promise<string[]> {
  if (lines.length === 0) return [t("No Python line is in its stacks.")];
  // The user's own lines first: a library's are many, and seldom what can be changed.
  const sorted = [...lines].sort((a, b) => Number(isProjectPath(b.path)) - Number(isProjectPath(a.path)));
  const rows = await Promise.all(
    sorted.slice(0, MOST_ROWS).map(async (line) => {
      const text = line.exact ? await textOf(source, line) : t("in {0}", line.function);
      return [
        withBand(formatBytes(line.total), line.band?.total),
        ownText(line),
        line.exact ? placeText(line) : fileText(line.path),
        text,
      ];
    }),
  );
  const more = lines.length - rows.length;
  return [
    ...table([[t("Live"), t("Own"), t("Line"), t("Source")], ...rows], 2, paint),
    ...(more > 0 ? [t("and {0} more lines", formatCount(more))] : []),
    paint.faint(
      t("Live: allocated by the line and what it called, and not freed by then.  Own: without other lines it called."),
    ),
  ];
}

async function measuredTable(lines: readonly MeasuredLine[], source: SourceOf, paint: Paint): Promise<string[]> {
  if (lines.length === 0) return [];
  const rows = await Promise.all(
    byChange(lines).map(async (line) => [...measuredCells(line), placeText(line), await textOf(source, line)]),
  );
  return [t("Heap before and after:"), ...table([[...measuredHeadings(), t("Line"), t("Source")], ...rows], 3, paint)];
}

export function placeText({ path: file, line }: LinePlace): string {
  return `${fileText(file)}:${line}`;
}

/** Of a library far down in the board's file system the last parts, which name it. */
function fileText(file: string): string {
  const parts = file.split("/");
  const shown = path.posix.isAbsolute(file) && parts.length > PARTS + 1 ? ["…", ...parts.slice(-PARTS)] : parts;
  return printable(shown.join("/"));
}

export async function textOf(source: SourceOf, { path: file, line }: LinePlace): Promise<string> {
  const text = path.posix.isAbsolute(file) ? undefined : await source(file);
  return printable(text === undefined ? "" : (sourceLines(text)[line - 1]?.trim() ?? ""));
}

/** @param figures as of `aligned`; the first row is the headings */
export function table(rows: readonly (readonly string[])[], figures: number, paint: Paint): string[] {
  return aligned(rows, figures).map((line, row) => (row === 0 ? paint.faint(line) : line));
}
