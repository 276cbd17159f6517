/** A massif run's figures in the forms the editor asks for: line deltas, code lenses, the tree. Pure. */

import type { LineMap } from "../../compare/matching/lineMap.ts";
import type { Frame } from "../../massif/model.ts";
import { frameTotals } from "../../massif/summary.ts";
import { defined } from "../../profile/defined.ts";
import { severityOf } from "../../profile/lines/severity.ts";
import { type FunctionLines, linesByFunction, MODULE_LEVEL } from "../../profile/lines/totals.ts";
import type { FileProfile } from "../../profile/model.ts";
import { printable } from "../../profile/text/text.ts";
import { atPeakText, heapLabel, heapMoved } from "../../protocol/massif/heapText.ts";
import type { HeapFile, HeapFunction, HeapLine, HeapShare, LineDelta } from "../../protocol/server.ts";
import { type FunctionLens, isNameless, TEXT_LENGTH } from "../lines/views.ts";
import { fileShares, type HeapFigures, type HeapProcess } from "./heapFigures.ts";

export function heapDeltas(figures: HeapFigures, path: string, map: LineMap): LineDelta[] {
  const { peak } = figures;
  const deltas: LineDelta[] = [];
  for (const [row, share] of fileShares(figures, path)) {
    const place = map.toDocument(row);
    if (place === undefined) continue;
    const moved = heapMoved(share);
    deltas.push({
      ...place,
      bytes: Math.abs(moved),
      severity: severityOf({ net: moved }, peak?.bytes ?? 0),
      label: heapLabel(share, peak),
    });
  }
  return deltas.sort((a, b) => a.line - b.line);
}

/** Functions through which memory was live at the peak, at their first line. */
export function heapLenses(figures: HeapFigures, file: FileProfile, map: LineMap): FunctionLens[] {
  const parts = functionsOf(file, fileShares(figures, file.path));
  const totals = totalsOf(figures, file.path, parts);
  return parts.flatMap((part, index) => {
    const total = totals[index] ?? 0;
    if (part.row === undefined || isNameless(part.row) || total === 0) return [];
    const place = map.toDocument(part.row.key) ?? map.toDocument(part.defLine);
    return place === undefined ? [] : [{ line: place.line, title: atPeakText(total, figures.peak) }];
  });
}

/** One file of the tree, functions and lines heaviest first. */
export function heapFile(
  figures: HeapFigures,
  file: FileProfile,
  source: readonly string[] | undefined,
  absolutePath: string | undefined,
): HeapFile {
  const shares = fileShares(figures, file.path);
  const parts = functionsOf(file, shares);
  const totals = totalsOf(figures, file.path, parts);
  const partOf = partFinder(file.path, parts);
  const functions = parts.map((part, index): HeapFunction => {
    return {
      name: printable(part.name),
      defLine: part.defLine,
      total: totals[index] ?? 0,
      own: mostOwn(figures, (row) => partOf(row) === index),
      lines: heapLines(part, shares, source),
    };
  });
  return {
    path: file.path,
    ...defined({ absolutePath }),
    total: mostTotal(figures, (frame) => (frame.path === file.path ? 0 : -1), 1)[0] ?? 0,
    own: mostOwn(figures, ({ path }) => path === file.path),
    functions: [...functions, ...wholeFunctions(figures, file.path, partOf)].sort(byBytes),
  };
}

/** Heaviest first; of callers and what they call, which hold the same, the one that allocated it itself. */
export function byBytes(a: Pick<HeapShare, "total" | "own">, b: Pick<HeapShare, "total" | "own">): number {
  return b.total - a.total || b.own - a.own;
}

function heapLines(
  { lines }: FunctionLines,
  shares: ReadonlyMap<number, HeapShare>,
  source: readonly string[] | undefined,
): HeapLine[] {
  const rows = lines.map(({ line }): HeapLine => {
    const text = printable((source?.[line - 1] ?? "").trim()).slice(0, TEXT_LENGTH);
    return { line, text, ...(shares.get(line) ?? { total: 0, own: 0 }) };
  });
  return rows.sort((a, b) => heapMoved(b) - heapMoved(a) || byBytes(a, b) || a.line - b.line);
}

/** Functions of which no line is known, only that they were being run. */
function wholeFunctions(figures: HeapFigures, path: string, partOf: (place: CodePlace) => number): HeapFunction[] {
  const found = new Map<number, HeapFunction>();
  for (const { lines } of figures.processes) {
    for (const row of lines) {
      if (row.exact || row.path !== path || partOf(row) >= 0) continue;
      if ((found.get(row.line)?.total ?? -1) >= row.total) continue;
      const { total, own, line: defLine } = row;
      found.set(defLine, { name: printable(row.function), defLine, total, own, lines: [] });
    }
  }
  return [...found.values()];
}

function functionsOf(file: FileProfile, shares: ReadonlyMap<number, HeapShare>): FunctionLines[] {
  const lines = [...shares.keys()].map((line) => ({ line, hits: 0 }));
  return linesByFunction({ ...file, lines }).filter(({ name, lines: own }) => name !== MODULE_LEVEL || own.length > 0);
}

/** The most that the lines own together in one process. */
function mostOwn(figures: HeapFigures, counts: (row: HeapProcess["lines"][number]) => boolean): number {
  const sums = figures.processes.map(({ lines }) => lines.filter(counts).reduce((sum, { own }) => sum + own, 0));
  return Math.max(0, ...sums);
}

/** For each function the bytes of the stacks through it. */
function totalsOf(figures: HeapFigures, path: string, parts: readonly FunctionLines[]): readonly number[] {
  return mostTotal(figures, partFinder(path, parts), parts.length);
}

type CodePlace = Pick<PythonFrame, "path" | "line" | "exact">;

/** Which of the functions a place belongs to, -1 for none: by its line, or where only the function is known, by that. */
function partFinder(path: string, parts: readonly FunctionLines[]): (place: CodePlace) => number {
  const byLine = new Map(parts.flatMap(({ lines }, index) => lines.map(({ line }) => [line, index])));
  const byDefinition = new Map(
    parts.flatMap(({ defLine, row }, index) => [defLine, row?.key ?? defLine].map((line) => [line, index])),
  );
  return ({ path: of, line, exact }) => (of === path ? ((exact ? byLine : byDefinition).get(line) ?? -1) : -1);
}

type PythonFrame = Extract<Frame, { kind: "python" }>;

/** For each group of frames the most that it held in one process. @param groupOf -1 for none */
function mostTotal(figures: HeapFigures, groupOf: (frame: PythonFrame) => number, groups: number): readonly number[] {
  const most = new Array<number>(groups).fill(0);
  for (const { peak } of figures.processes) {
    if (peak === undefined) continue;
    const { stacks } = peak;
    const group = stacks.frames.map((frame) => (frame.kind === "python" ? groupOf(frame) : -1));
    frameTotals(stacks, (frame) => group[frame] ?? -1, groups).forEach((total, index) => {
      most[index] = Math.max(most[index] ?? 0, total);
    });
  }
  return most;
}
