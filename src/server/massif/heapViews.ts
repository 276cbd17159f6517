/** A massif run's figures in the forms the editor asks for: line deltas, code lenses, the tree. Pure. */
import { frameTotals } from "../../massif/summary.ts";
import type { FileProfile } from "../../profile/model.ts";
import { severityOf } from "../../profile/severity.ts";
import { printable } from "../../profile/text.ts";
import { type FunctionLines, linesByFunction, MODULE_LEVEL } from "../../profile/totals.ts";
import { atPeakText, heapLabel } from "../../protocol/heapText.ts";
import type { HeapFile, HeapFunction, HeapLine, HeapShare, LineDelta } from "../../protocol/server.ts";
import type { LineMap } from "../lineMap.ts";
import { type FunctionLens, isNameless, TEXT_LENGTH } from "../views.ts";
import { fileShares, type HeapFigures, type HeapProcess } from "./heapFigures.ts";

export function heapDeltas(figures: HeapFigures, path: string, map: LineMap): LineDelta[] {
  const { peak } = figures;
  const deltas: LineDelta[] = [];
  for (const [row, share] of fileShares(figures, path)) {
    const place = map.toDocument(row);
    if (place === undefined) continue;
    const moved = share.total > 0 ? share.total : (share.measured?.net ?? 0);
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
  const shares = fileShares(figures, file.path);
  return functionsOf(file, shares).flatMap((part) => {
    if (part.row === undefined || isNameless(part.row)) return [];
    const total = Math.max(0, ...figures.processes.map((process) => functionTotal(process, file.path, part)));
    const place = map.toDocument(part.row.key) ?? map.toDocument(part.defLine);
    return total === 0 || place === undefined ? [] : [{ line: place.line, title: atPeakText(total, figures.peak) }];
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
  const functions = functionsOf(file, shares).map((part) => heapFunction(figures, file.path, part, shares, source));
  const inFile = ({ path }: { readonly path: string }) => path === file.path;
  return {
    path: file.path,
    ...(absolutePath === undefined ? {} : { absolutePath }),
    own: mostOwn(figures, inFile),
    functions: [...functions, ...wholeFunctions(figures, file.path)].sort(
      (a, b) => b.own - a.own || heaviest(b) - heaviest(a),
    ),
  };
}

function heapFunction(
  figures: HeapFigures,
  path: string,
  part: FunctionLines,
  shares: ReadonlyMap<number, HeapShare>,
  source: readonly string[] | undefined,
): HeapFunction {
  const numbers = new Set(part.lines.map(({ line }) => line));
  const lines = part.lines.map(({ line }): HeapLine => {
    const text = printable((source?.[line - 1] ?? "").trim()).slice(0, TEXT_LENGTH);
    return { line, text, ...(shares.get(line) ?? { total: 0, own: 0 }) };
  });
  return {
    name: printable(part.name),
    defLine: part.defLine,
    own: mostOwn(figures, (row) => row.exact && row.path === path && numbers.has(row.line)),
    lines: lines.sort(
      (a, b) => b.total - a.total || (b.measured?.net ?? 0) - (a.measured?.net ?? 0) || a.line - b.line,
    ),
  };
}

/** Functions of which no line is known, only that they were being run. */
function wholeFunctions(figures: HeapFigures, path: string): HeapFunction[] {
  const names = new Map<number, string>();
  for (const { lines } of figures.processes) {
    for (const row of lines) if (!row.exact && row.path === path) names.set(row.line, row.function);
  }
  return [...names].map(([defLine, name]) => ({
    name: printable(name),
    defLine,
    own: mostOwn(figures, (row) => !row.exact && row.path === path && row.line === defLine),
    lines: [],
  }));
}

function heaviest({ lines }: HeapFunction): number {
  return lines[0]?.total ?? 0;
}

/** The most that the lines own together in one process. */
function mostOwn(figures: HeapFigures, counts: (row: HeapProcess["lines"][number]) => boolean): number {
  const sums = figures.processes.map(({ lines }) => lines.filter(counts).reduce((sum, { own }) => sum + own, 0));
  return Math.max(0, ...sums);
}

function functionsOf(file: FileProfile, shares: ReadonlyMap<number, HeapShare>): FunctionLines[] {
  const lines = [...shares.keys()].map((line) => ({ line, hits: 0 }));
  return linesByFunction({ ...file, lines }).filter(({ name, lines: own }) => name !== MODULE_LEVEL || own.length > 0);
}

/** Bytes of the stacks through any line of the function, each stack once. */
function functionTotal({ peak }: HeapProcess, path: string, part: FunctionLines): number {
  if (peak === undefined) return 0;
  const { stacks } = peak;
  const numbers = new Set(part.lines.map(({ line }) => line));
  const isOwn = stacks.frames.map(
    (frame) =>
      frame.kind === "python" &&
      frame.path === path &&
      (frame.exact ? numbers.has(frame.line) : frame.line === part.defLine),
  );
  return frameTotals(stacks, (frame) => (isOwn[frame] ? 0 : -1), 1)[0] ?? 0;
}
