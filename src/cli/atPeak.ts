/** Which Python lines held the memory of a run under massif at its peak: a table for each process. */
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { libraries, pythonPlaces } from "../massif/frames.ts";
import { frameTreeOf } from "../massif/frameTree.ts";
import { type LineAtPeak, linesAtPeak } from "../massif/lines.ts";
import type { MassifFile, MeasuredLine, Snapshot } from "../massif/model.ts";
import { openMassif } from "../massif/node/massifSource.ts";
import { readSidecars } from "../massif/node/sidecars.ts";
import type { Paint } from "../profile/annotate.ts";
import { formatBytes, formatChange, formatCount, formatDuration } from "../profile/format.ts";
import type { RunInfo } from "../profile/model.ts";
import { printable, sourceLines } from "../profile/text.ts";
import { UserError } from "../profile/userError.ts";

/** A file's text as it was run; undefined where it was not kept. */
export type SourceOf = (projectPath: string) => Promise<string | undefined>;

const MOST_ROWS = 15;

/** What there is to say of each process; a file that cannot be read is named with the reason. */
export async function atPeakTables(folder: string, run: RunInfo, source: SourceOf, paint: Paint): Promise<string[]> {
  const names = await fs.readdir(folder);
  const files = names.filter((name) => /^massif\.out\.\d+$/.test(name));
  const labels = new Map(run.processes.map(({ pid, label }) => [`massif.out.${pid}`, label]));
  const place = (name: string): number => {
    const known = [...labels.keys()].indexOf(name);
    return known < 0 ? labels.size : known;
  };
  const tables: string[] = [];
  for (const name of files.sort((a, b) => place(a) - place(b) || a.localeCompare(b))) {
    const label = labels.get(name) ?? `process ${name.slice("massif.out.".length)}`;
    tables.push(await processTable(path.join(folder, name), label, source, paint));
  }
  if (tables.length > 0) {
    tables.push(paint.faint(`All stacks: jetson-memprof massif ${printable(path.join(folder, "massif.out.PID"))}`));
  }
  return tables;
}

async function processTable(file: string, label: string, source: SourceOf, paint: Paint): Promise<string> {
  try {
    const massif = await openMassif(file);
    const { frames, measured } = await readSidecars(file);
    const chosen = peakOf(massif.file);
    const parts = [
      paint.strong(printable(`${label}: ${chosen === undefined ? "no stacks were kept" : title(massif.file, chosen)}`)),
    ];
    if (chosen !== undefined) {
      const tree = await massif.tree(chosen.at);
      const stacks = frameTreeOf(tree, {
        python: pythonPlaces(tree.labels, frames),
        library: libraries(tree.labels, frames),
      });
      parts.push(...(await lineTable(linesAtPeak(stacks), source, paint)));
    }
    parts.push(...(await measuredTable(measured.lines, source, paint)));
    return parts.join("\n");
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return printable(`${label}: ${error.message}`);
  }
}

interface Chosen {
  readonly at: number;
  readonly snapshot: Snapshot;
}

/** The peak, or where massif recorded none the largest snapshot with stacks. */
function peakOf({ snapshots }: MassifFile): Chosen | undefined {
  const detailed = snapshots
    .map((snapshot, at) => ({ at, snapshot }))
    .filter(({ snapshot }) => snapshot.tree.kind !== "none")
    .sort((a, b) => b.snapshot.heap - a.snapshot.heap);
  return detailed.find(({ snapshot }) => snapshot.tree.kind === "peak") ?? detailed[0];
}

function title({ timeUnit }: MassifFile, { snapshot: { heap, time, tree } }: Chosen): string {
  const when =
    timeUnit === "ms"
      ? formatDuration(time)
      : timeUnit === "i"
        ? `${formatCount(time)} instructions`
        : `${formatBytes(time)} allocated`;
  const which = tree.kind === "peak" ? "at its peak" : "in the largest snapshot with stacks";
  return `${formatBytes(heap)} of heap ${which}, after ${when}`;
}

async function lineTable(lines: readonly LineAtPeak[], source: SourceOf, paint: Paint): Promise<string[]> {
  if (lines.length === 0) return ["No Python line is in its stacks."];
  const rows = await Promise.all(
    lines.slice(0, MOST_ROWS).map(async (line) => {
      const text = line.exact ? await textOf(source, line) : `in ${line.function}`;
      return [formatBytes(line.total), formatBytes(line.own), placeText(line), text];
    }),
  );
  const more = lines.length - rows.length;
  return [
    ...aligned([["Live", "Own", "Line", "Source"], ...rows], 2, paint),
    ...(more > 0 ? [`and ${formatCount(more)} more lines`] : []),
    paint.faint(
      "Live: allocated by the line and what it called, and not freed by then.  Own: without other lines it called.",
    ),
  ];
}

async function measuredTable(lines: readonly MeasuredLine[], source: SourceOf, paint: Paint): Promise<string[]> {
  if (lines.length === 0) return [];
  const rows = await Promise.all(
    [...lines]
      .sort((a, b) => Math.abs(b.net) - Math.abs(a.net))
      .map(async (line) => [
        formatChange(line.net),
        formatCount(line.hits),
        formatCount(line.measured),
        placeText(line),
        await textOf(source, line),
      ]),
  );
  return ["Heap before and after:", ...aligned([["Net", "Hits", "Measured", "Line", "Source"], ...rows], 3, paint)];
}

const placeText = ({ path, line }: { readonly path: string; readonly line: number }): string =>
  printable(`${path}:${line}`);

async function textOf(
  source: SourceOf,
  { path: file, line }: { readonly path: string; readonly line: number },
): Promise<string> {
  const text = path.isAbsolute(file) ? undefined : await source(file);
  return printable(text === undefined ? "" : (sourceLines(text)[line - 1]?.trim() ?? ""));
}

/** @param figures how many of the first columns are figures, which stand to the right */
function aligned(rows: readonly (readonly string[])[], figures: number, paint: Paint): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column < figures ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line, row) => (row === 0 ? paint.faint(line) : line));
}
