/** A profile in the forms the editor asks for: line deltas, code lenses, the tree. Pure. */

import type { LineMap } from "../../compare/matching/lineMap.ts";
import { defined } from "../../profile/defined.ts";
import { inTurns } from "../../profile/files/inTurns.ts";
import { present } from "../../profile/files/jsonRecords.ts";
import { heaviest } from "../../profile/lines/heaviest.ts";
import { byMetric } from "../../profile/lines/metric.ts";
import { deltaLabel, severityOf } from "../../profile/lines/severity.ts";
import {
  type FunctionLines,
  fileNet,
  fileWeight,
  functionNet,
  functionPeak,
  linesByFunction,
  netOrSelf,
  weight,
  wholeOf,
} from "../../profile/lines/totals.ts";
import { type Unfinished, type UnfinishedCalls, unfinishedCalls } from "../../profile/lines/unfinished.ts";
import type { FileProfile, FunctionRow, LinePlaceOfThread, LineRow, Metric, Profile } from "../../profile/model.ts";
import { sinceText } from "../../profile/text/moment.ts";
import { printable } from "../../profile/text/text.ts";
import { lensTitle } from "../../protocol/lines/functionText.ts";
import type { LineDelta, TreeFile, TreeFunction, TreeLine } from "../../protocol/server.ts";

export async function lineDeltas(
  profile: Profile,
  path: string,
  metric: Metric,
  map: LineMap,
  rssPeak: number | undefined,
): Promise<readonly LineDelta[]> {
  const shown = byMetric(profile, metric);
  const whole = wholeOf(shown, metric, rssPeak);
  const rows = shown.files.find((file) => file.path === path)?.lines ?? [];
  const deltas = await inTurns(rows, (row): LineDelta | undefined => {
    const label = deltaLabel(row, metric);
    const place = map.toDocument(row.line);
    // Most lines of most programs: nothing is written beside them.
    if (label === undefined || place === undefined) return undefined;
    const { line, stale } = place;
    return { line, stale, bytes: moved(row), severity: severityOf(row, whole), ...label };
  });
  return deltas.filter((delta) => delta !== undefined).sort((a, b) => a.line - b.line);
}

/** The most that a line moved or held, bytes. */
function moved(row: LineRow): number {
  return Math.max(Math.abs(netOrSelf(row)), row.peak ?? 0);
}

export interface FunctionLens {
  /** In the document, 1-based. */
  readonly line: number;
  readonly title: string;
}

/** Functions that were called, at their first line (the first decorator's). */
export function functionLenses(profile: Profile, path: string, metric: Metric, map: LineMap): FunctionLens[] {
  // What may never have ended is in the files with open lines; the others are no matter of this document's.
  const needed = new Set([path, ...profile.run.lastLines.flatMap(placesOf)]);
  const { files } = byMetric({ ...profile, files: profile.files.filter((file) => needed.has(file.path)) }, metric);
  const unfinished = unfinishedCalls(files, profile);
  return (files.find((file) => file.path === path)?.functions ?? []).flatMap((row) => {
    if (row.calls === 0 || isNameless(row)) return [];
    const place = map.toDocument(row.key) ?? map.toDocument(row.defLine);
    if (place === undefined) return [];
    const title = lensTitle(present({ ...row, unfinished: unfinished.get(row) }), metric);
    const { since } = profile;
    return [{ line: place.line, title: since === undefined ? title : `${title} · ${sinceText(since)}` }];
  });
}

const placesOf = ({ path, stack }: LinePlaceOfThread): string[] => [path, ...(stack ?? []).map((place) => place.path)];

/** `<lambda>`, `<listcomp>` and the module itself stand for no place of their own. */
export function isNameless(row: FunctionRow): boolean {
  return row.name.endsWith(">");
}

/** A line in a list needs no more to be recognized. */
export const TEXT_LENGTH = 200;

/** Lines of a run in the tree at most; VS Code would be held up by all that a large program has. */
const MOST_LINES = 5_000;

/** The lines that the tree shows: those that took or gave back anything, of very many the heaviest. */
export async function treeLines(files: readonly FileProfile[], most = MOST_LINES): Promise<ReadonlySet<LineRow>> {
  const rows = (await inTurns(files, ({ lines }) => lines.filter((row) => moved(row) !== 0))).flat();
  return new Set(heaviest(rows, most, moved));
}

/**
 * One file of the tree, functions and lines heaviest first.
 * @param listed the lines to list; how many others took or gave back anything is said
 * @param source the profiled text's lines; lines without one are listed with an empty text
 */
export function treeFile(
  file: FileProfile,
  listed: ReadonlySet<LineRow>,
  source: readonly string[] | undefined,
  absolutePath: string | undefined,
  unfinished: UnfinishedCalls = new Map(),
): TreeFile {
  const net = fileNet(file);
  const functions = linesByFunction(file).map((part) =>
    treeFunction(part, listed, source, unfinished.get(part.row ?? file.path)),
  );
  return {
    path: file.path,
    ...defined({ absolutePath, net }),
    // Of equals the later comes first: the module level contains what it calls.
    functions: functions.sort((a, b) => functionWeight(b) - functionWeight(a) || b.defLine - a.defLine),
  };
}

function functionWeight(fn: TreeFunction): number {
  return Math.max(weight(fn), fn.unfinished?.atLeast ?? 0);
}

/** Heaviest first. */
export function inTreeOrder(files: readonly FileProfile[]): FileProfile[] {
  return files
    .filter((file) => file.lines.length > 0)
    .map((file) => ({ file, weight: fileWeight(file) }))
    .sort((a, b) => b.weight - a.weight || (a.file.path < b.file.path ? -1 : 1))
    .map(({ file }) => file);
}

function treeFunction(
  part: FunctionLines,
  listed: ReadonlySet<LineRow>,
  source: readonly string[] | undefined,
  open: Unfinished | undefined,
): TreeFunction {
  const moving = part.lines.filter((row) => moved(row) !== 0);
  const lines = moving.filter((row) => listed.has(row));
  const left = moving.length - lines.length;
  const net = functionNet(part);
  const peak = functionPeak(part);
  return {
    name: printable(part.name),
    defLine: part.defLine,
    ...defined({ net, peak }),
    ...(part.row?.timeNs === undefined ? {} : { timeNs: part.row.timeNs }),
    calls: part.row?.calls ?? 0,
    ...defined({ unfinished: open }),
    lines: lines.map((row) => treeLine(row, source)).sort((a, b) => weight(b) - weight(a) || a.line - b.line),
    ...(left === 0 ? {} : { left }),
  };
}

function treeLine({ cuda: _cuda, system: _system, ...row }: LineRow, source: readonly string[] | undefined): TreeLine {
  return { ...row, text: printable((source?.[row.line - 1] ?? "").trim()).slice(0, TEXT_LENGTH) };
}
