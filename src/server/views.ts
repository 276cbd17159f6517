/** A profile in the forms the editor asks for: line deltas, code lenses, the tree. Pure. */
import { formatChange, formatCount, formatDuration } from "../profile/format.ts";
import { byMetric, fileByMetric, metricPrefix } from "../profile/metric.ts";
import type { FileProfile, FunctionRow, LineRow, Metric, Profile } from "../profile/model.ts";
import { deltaLabel, severityOf } from "../profile/severity.ts";
import { printable } from "../profile/text.ts";
import {
  type FunctionLines,
  fileNet,
  fileWeight,
  functionNet,
  functionPeak,
  growth,
  linesByFunction,
  netOrSelf,
  weight,
} from "../profile/totals.ts";
import type { LineDelta, TreeFile, TreeFunction, TreeLine } from "../protocol/server.ts";
import type { LineMap } from "./lineMap.ts";

export function lineDeltas(profile: Profile, path: string, metric: Metric, map: LineMap): LineDelta[] {
  const shown = byMetric(profile, metric);
  const runGrowth = growth(shown);
  const deltas: LineDelta[] = [];
  for (const row of shown.files.find((file) => file.path === path)?.lines ?? []) {
    const place = map.toDocument(row.line);
    if (place === undefined) continue;
    const { line, stale } = place;
    const bytes = Math.max(Math.abs(netOrSelf(row)), row.peak ?? 0);
    deltas.push({ line, stale, bytes, severity: severityOf(row, runGrowth), label: deltaLabel(row, metric) });
  }
  return deltas.sort((a, b) => a.line - b.line);
}

export interface FunctionLens {
  /** In the document, 1-based. */
  readonly line: number;
  readonly title: string;
}

/** Functions that were called, at their first line (the first decorator's). */
export function functionLenses(file: FileProfile, metric: Metric, map: LineMap): FunctionLens[] {
  return fileByMetric(file, metric).functions.flatMap((row) => {
    if (row.calls === 0 || isNameless(row)) return [];
    const place = map.toDocument(row.key) ?? map.toDocument(row.defLine);
    return place === undefined ? [] : [{ line: place.line, title: lensTitle(row, metric) }];
  });
}

/** `<lambda>`, `<listcomp>` and the module itself stand for no place of their own. */
export function isNameless(row: FunctionRow): boolean {
  return row.name.endsWith(">");
}

function lensTitle(row: FunctionRow, metric: Metric): string {
  const parts = [
    row.net === undefined ? undefined : `${metricPrefix(metric)}${formatChange(row.net)} net`,
    row.peak === undefined ? undefined : `${formatChange(row.peak)} peak`,
    formatDuration(row.timeNs / 1e6),
    row.calls === 1 ? "1 call" : `${formatCount(row.calls)} calls`,
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

/** A line in a list needs no more to be recognised. */
export const TEXT_LENGTH = 200;

/**
 * One file of the tree, functions and lines heaviest first; lines that neither took nor gave back are left out.
 * @param source the profiled text's lines; lines without one are listed with an empty text
 */
export function treeFile(
  file: FileProfile,
  source: readonly string[] | undefined,
  absolutePath: string | undefined,
): TreeFile {
  const net = fileNet(file);
  const functions = linesByFunction(file).map((part) => treeFunction(part, source));
  return {
    path: file.path,
    ...(absolutePath === undefined ? {} : { absolutePath }),
    ...(net === undefined ? {} : { net }),
    // Of equals the later comes first: the module level contains what it calls.
    functions: functions.sort((a, b) => weight(b) - weight(a) || b.defLine - a.defLine),
  };
}

/** Heaviest first. */
export function inTreeOrder(files: readonly FileProfile[]): FileProfile[] {
  return files
    .filter((file) => file.lines.length > 0)
    .sort((a, b) => fileWeight(b) - fileWeight(a) || (a.path < b.path ? -1 : 1));
}

function treeFunction(part: FunctionLines, source: readonly string[] | undefined): TreeFunction {
  const net = functionNet(part);
  const peak = functionPeak(part);
  return {
    name: printable(part.name),
    defLine: part.defLine,
    ...(net === undefined ? {} : { net }),
    ...(peak === undefined ? {} : { peak }),
    timeNs: part.row?.timeNs ?? 0,
    calls: part.row?.calls ?? 0,
    lines: part.lines
      .filter((row) => netOrSelf(row) !== 0 || (row.peak ?? 0) !== 0)
      .map((row) => treeLine(row, source))
      .sort((a, b) => weight(b) - weight(a) || a.line - b.line),
  };
}

function treeLine({ cuda: _cuda, system: _system, ...row }: LineRow, source: readonly string[] | undefined): TreeLine {
  return { ...row, text: printable((source?.[row.line - 1] ?? "").trim()).slice(0, TEXT_LENGTH) };
}
