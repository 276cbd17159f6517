/** Which lines of a document are decorated, how and with what text. Nothing of VS Code is needed to decide it. */
import { defined } from "../../profile/defined.ts";
import type { LineDelta, LineDeltasResult } from "../../protocol/server.ts";
import { t } from "../../words/t.ts";
import type { Position } from "../settings/settings.ts";

export const LINE_STYLES = ["none", "low", "medium", "high", "freed", "stale"] as const;
export type LineStyle = (typeof LINE_STYLES)[number];

export interface LineMark {
  /** 0-based. */
  readonly line: number;
  readonly text: string;
  /** After the line, where `text` stands before it. */
  readonly behind?: string;
}

/** What is drawn beside a line. */
export interface Beside {
  readonly before?: string;
  readonly after?: string;
}

interface PlacedMark extends LineMark {
  readonly style: LineStyle;
  /** What stands in a column before the lines: a figure, without what is said of it. */
  readonly figure: string;
}

/** A document's figures, worked out once for all scrolling. */
export interface ShownLines {
  readonly side: Side;
  /** What stands beside lines, by ascending line. */
  readonly marks: readonly PlacedMark[];
  /** For the ruler at the side, by ascending line. */
  readonly ruler: Readonly<Record<RulerStyle, readonly LineRange[]>>;
  /** Where a run that goes on is. */
  readonly here?: LineMark;
}

export type RulerStyle = "medium" | "high";

/** Figures before the lines stand in a column, which moves all code of the document. */
export type Side = { readonly kind: "after" } | { readonly kind: "before" /** Characters. */; readonly width: number };

/** 0-based lines, both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export const NOTHING_SHOWN: ShownLines = { side: { kind: "after" }, marks: [], ruler: { medium: [], high: [] } };

/** A document as far as it decides where figures stand. */
export interface Lines {
  readonly count: number;
  /** Characters. @param line 0-based */
  length(line: number): number;
}

/** A figure after a longer line may be out of sight: with it, 100 characters, which is what half a screen shows. */
const LONG = 80;

/**
 * Lines above and below the visible ones that are decorated too, so that scrolling a little shows no gap. Not more: each
 * text beside a line is a style sheet's rule of its own for VS Code, and a hundred of them make a frame longer.
 */
const MARGIN = 60;
/** Once fewer than these are left, the next are decorated. */
const LEFT = 15;

/**
 * @param lines by ascending line
 * @param threshold bytes; a line that moved less is left out
 */
export function showLines(
  { lines, here: place }: Pick<LineDeltasResult, "lines" | "here">,
  document: Lines,
  threshold: number,
  position: Position,
): ShownLines {
  const { marks, ruler } = marksOf(lines, document.count, threshold);
  const here = place === undefined ? {} : { here: { line: place.line - 1, text: place.text } };
  const isBefore =
    position === "automatic" ? marks.some(({ line }) => document.length(line) > LONG) : position === "beforeLine";
  if (!isBefore || marks.length === 0) return { side: { kind: "after" }, marks, ruler, ...here };
  const width = marks.reduce((most, { figure }) => Math.max(most, widthOf(figure)), 0);
  // To the right, as figures in a column are. That a line changed since is said by its style: words would move all code.
  const column = marks.map((mark) => {
    const text = `${" ".repeat(width - widthOf(mark.figure))}${mark.figure}`.replaceAll(" ", "\u00a0");
    return { ...mark, text };
  });
  return { side: { kind: "before", width }, marks: column, ruler, ...here };
}

/** What a mark draws beside its line; `figureBeforeHere` has what it leaves out where the run is. */
export function besideLine({ side, here }: ShownLines, mark: LineMark): Beside {
  const before = side.kind === "before" ? { before: mark.text } : {};
  const after = here?.line === mark.line ? undefined : textAfter(side, mark);
  return { ...before, ...defined({ after }) };
}

/**
 * What stands after the line where the run is, to be read before where it is. In an order of its own: VS Code has none
 * for two texts that both stand after the end of a line.
 */
export function figureBeforeHere({ side, marks, here }: ShownLines): (LineMark & { style: LineStyle }) | undefined {
  const mark = here === undefined ? undefined : marks[firstAt(marks, here.line)];
  if (mark === undefined || mark.line !== here?.line) return undefined;
  const text = textAfter(side, mark);
  return text === undefined ? undefined : { line: mark.line, text, style: mark.style };
}

function textAfter(side: Side, { text, behind }: LineMark): string | undefined {
  return side.kind === "before" ? behind : text;
}

/** Columns of a figure: of our own words, only Chinese ones take two for a letter. */
function widthOf(label: string): number {
  return label.length + (label.match(/\p{Script=Han}/gu)?.length ?? 0);
}

/**
 * The lines within `ranges` that have no mark, whose code stands in line with that of the others.
 * @param marks those within `ranges`
 */
export function blanksIn(
  marks: Readonly<Record<LineStyle, readonly LineMark[]>>,
  ranges: readonly LineRange[],
  lineCount: number,
): readonly number[] {
  const marked = new Set(LINE_STYLES.flatMap((style) => marks[style].map(({ line }) => line)));
  const blanks = new Set<number>();
  for (const { first, last } of ranges)
    for (let line = first; line <= Math.min(last, lineCount - 1); line++) if (!marked.has(line)) blanks.add(line);
  return [...blanks];
}

/**
 * After an edit that made `more` lines (fewer where negative) below `line`, until the figures are asked for again. Those
 * of lines that were deleted go.
 */
export function moveLines(shown: ShownLines, line: number, more: number): ShownLines {
  const isDeleted = (at: number): boolean => at > line && at <= line - more;
  const move = (at: number): number => (at > line ? Math.max(line, at + more) : at);
  const moveRange = ({ first, last }: LineRange): LineRange => ({ first: move(first), last: move(last) });
  const { here, ...others } = shown;
  return {
    ...others,
    ...(here === undefined || isDeleted(here.line) ? {} : { here: { ...here, line: move(here.line) } }),
    marks: shown.marks.flatMap((mark) => (isDeleted(mark.line) ? [] : [{ ...mark, line: move(mark.line) }])),
    ruler: { medium: shown.ruler.medium.map(moveRange), high: shown.ruler.high.map(moveRange) },
  };
}

function marksOf(
  lines: readonly LineDelta[],
  lineCount: number,
  threshold: number,
): Pick<ShownLines, "marks" | "ruler"> {
  const marks: PlacedMark[] = [];
  const ruler: Record<RulerStyle, { first: number; last: number }[]> = { medium: [], high: [] };
  for (const { line: number, label, apart, bytes, severity, stale } of heaviestOfEachLine(lines)) {
    const line = number - 1;
    if (line < 0 || line >= lineCount || label === "" || bytes < threshold) continue;
    marks.push({
      line,
      figure: apart?.net ?? label,
      ...defined({ behind: apart?.peak }),
      ...(stale ? { text: t("{0} (line changed since)", label), style: "stale" } : { text: label, style: severity }),
    });
    if (stale || (severity !== "medium" && severity !== "high")) continue;
    const ranges = ruler[severity];
    const before = ranges.at(-1);
    // Neighbors look the same as one range, and VS Code keeps each range by itself.
    if (before?.last === line - 1) before.last = line;
    else ranges.push({ first: line, last: line });
  }
  return { marks, ruler };
}

/** What is decorated for these visible lines. */
export function around(visible: readonly LineRange[]): readonly LineRange[] {
  return visible.map(({ first, last }) => ({ first: Math.max(0, first - MARGIN), last: last + MARGIN }));
}

/** Whether `decorated` still has what these visible lines need. */
export function covers(decorated: readonly LineRange[], visible: readonly LineRange[]): boolean {
  return visible.every(({ first, last }) =>
    decorated.some((range) => range.first <= Math.max(0, first - LEFT) && range.last >= last + LEFT),
  );
}

/** The marks within `ranges`, each once. */
export function marksIn({ marks }: ShownLines, ranges: readonly LineRange[]): Readonly<Record<LineStyle, LineMark[]>> {
  const found: Record<LineStyle, LineMark[]> = { none: [], low: [], medium: [], high: [], freed: [], stale: [] };
  let next = 0;
  for (const { first, last } of [...ranges].sort((a, b) => a.first - b.first)) {
    next = Math.max(next, firstAt(marks, first));
    for (let mark = marks[next]; mark !== undefined && mark.line <= last; mark = marks[++next])
      found[mark.style].push(mark);
  }
  return found;
}

/** Where the first mark at or below `line` is. */
function firstAt(marks: readonly LineMark[], line: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((marks[middle]?.line ?? line) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* heaviestOfEachLine(lines: readonly LineDelta[]): Generator<LineDelta> {
  let heaviest: LineDelta | undefined;
  for (const delta of lines) {
    if (heaviest !== undefined && delta.line !== heaviest.line) {
      yield heaviest;
      heaviest = delta;
    } else if (heaviest === undefined || delta.bytes > heaviest.bytes) heaviest = delta;
  }
  if (heaviest !== undefined) yield heaviest;
}
