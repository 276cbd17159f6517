/** The lines of two sides, each with its figures before and after. */
import type { Steps } from "../profile/files/inTurns.ts";
import { type FileMatch, matchSources, type SourceFile } from "./matching/sourceMatch.ts";
import type { ComparedFile, ComparedLine, ComparedMetric, Difference } from "./model.ts";
import { differenceOf, incomparable, LINE_FLOORS, measured, onlyOn, type Repeated } from "./noise.ts";
import { type FileFigures, figuresOf, type LoadedSide } from "./side.ts";

/** What is compared, and whether the two sides measure the same thing by it. */
export interface Measure {
  readonly metric: ComparedMetric;
  readonly comparable: boolean;
}

export function* compareFiles(before: LoadedSide, after: LoadedSide, measure: Measure): Steps<ComparedFile[]> {
  const old = new Map(before.sources.map((source) => [source.path, source]));
  const now = new Map(after.sources.map((source) => [source.path, source]));
  const match = matchSources(before.sources, after.sources);
  const both: ComparedFile[] = [];
  for (const file of match.files) {
    yield;
    const sources = { before: old.get(file.before), after: now.get(file.after) };
    if (sources.before === undefined || sources.after === undefined) continue;
    const left = sideFile(before, sources.before, measure);
    // A side of a very large file takes a turn of its own.
    yield;
    both.push(yield* matchedFile(file, left, sideFile(after, sources.after, measure), measure));
  }
  const single = (side: "before" | "after", loaded: LoadedSide, sources: typeof old, paths: readonly string[]) =>
    paths.flatMap((path) => {
      const source = sources.get(path);
      return source === undefined ? [] : [singleFile(side, sideFile(loaded, source, measure), measure)];
    });
  return [
    ...both,
    ...single("after", after, now, match.onlyAfter),
    ...single("before", before, old, match.onlyBefore),
  ].filter(({ lines }) => lines.length > 0);
}

const LINES_A_STEP = 256;

interface SideFile {
  readonly source: SourceFile;
  readonly figures: FileFigures;
}

function sideFile(side: LoadedSide, source: SourceFile, { metric }: Measure): SideFile {
  return { source, figures: figuresOf(side, source, metric) };
}

function textOf({ source }: SideFile, line: number): string {
  return source.lines?.[line - 1]?.trim() ?? "";
}

function singleFile(side: "before" | "after", file: SideFile, measure: Measure): ComparedFile {
  return {
    path: file.source.path,
    kind: `only-${side}`,
    sourcesMissing: file.source.lines === undefined,
    lines: file.figures.measured.map((line) => singleLine(side, file, line, measure)),
  };
}

function singleLine(side: "before" | "after", file: SideFile, line: number, measure: Measure): ComparedLine {
  const { net, peak } = file.figures.line(line);
  const nothing = { values: [], uncertain: 0 };
  const one = (figure: Repeated) => {
    if (measure.comparable) return onlyOn(side, figure, LINE_FLOORS[measure.metric]);
    return side === "before" ? incomparable(figure, nothing) : incomparable(nothing, figure);
  };
  const nets = netsOf(side === "before" ? net : nothing, side === "after" ? net : nothing);
  return { [side]: line, text: textOf(file, line), edited: false, net: one(net), peak: one(peak), ...nets };
}

function* matchedFile(match: FileMatch, before: SideFile, after: SideFile, measure: Measure): Steps<ComparedFile> {
  const moved = match.before !== match.after;
  return {
    path: match.after,
    kind: moved ? "moved" : "both",
    ...(moved ? { from: match.before } : {}),
    sourcesMissing: match.byNumbers,
    lines: yield* matchedLines(match, before, after, measure),
  };
}

function* matchedLines(match: FileMatch, before: SideFile, after: SideFile, measure: Measure): Steps<ComparedLine[]> {
  const found = new Set<number>();
  const lines: ComparedLine[] = [];
  for (const [at, now] of after.figures.measured.entries()) {
    if (at % LINES_A_STEP === 0) yield;
    const old = match.toBefore(now);
    if (old === undefined || found.has(old.line)) {
      lines.push(singleLine("after", after, now, measure));
      continue;
    }
    found.add(old.line);
    lines.push(matchedLine(before, after, { old: old.line, now, edited: old.edited }, measure));
  }
  const others: Placed[] = [];
  let last = 0;
  for (const [at, old] of before.figures.measured.entries()) {
    if (at % LINES_A_STEP === 0) yield;
    const now = match.toAfter(old);
    if (now !== undefined) last = now.line;
    if (found.has(old)) continue;
    if (now === undefined) others.push({ place: last, line: singleLine("before", before, old, measure) });
    else {
      const line = matchedLine(before, after, { old, now: now.line, edited: now.edited }, measure);
      others.push({ place: now.line, line });
    }
  }
  return others.length === 0 ? lines : inOrder(lines, others);
}

/** A line with its place in the later file; one that is gone stands after the one that it followed. */
interface Placed {
  readonly place: number;
  readonly line: ComparedLine;
}

function inOrder(lines: readonly ComparedLine[], others: readonly Placed[]): ComparedLine[] {
  const placed = lines.map((line): Placed => ({ place: line.after ?? 0, line }));
  const isGone = ({ line }: Placed) => Number(line.after === undefined);
  return [...placed, ...others].sort((a, b) => a.place - b.place || isGone(a) - isGone(b)).map(({ line }) => line);
}

function matchedLine(
  before: SideFile,
  after: SideFile,
  { old, now, edited }: { readonly old: number; readonly now: number; readonly edited: boolean },
  measure: Measure,
): ComparedLine {
  const a = before.figures.line(old);
  const b = after.figures.line(now);
  const net = differenceBetween(a.net, b.net, measure);
  const peak = differenceBetween(a.peak, b.peak, measure);
  const line = { before: old, after: now, text: textOf(after, now), edited, net, peak, ...netsOf(a.net, b.net) };
  const [ran, runs] = [measured(a.hits)?.median, measured(b.hits)?.median];
  return ran === runs || ran === undefined || runs === undefined
    ? line
    : { ...line, hits: { before: ran, after: runs } };
}

function netsOf(before: Repeated, after: Repeated): Pick<ComparedLine, "nets"> | undefined {
  const areRepeats = before.values.length > 1 || after.values.length > 1;
  return areRepeats ? { nets: { before: before.values, after: after.values } } : undefined;
}

function differenceBetween(before: Repeated, after: Repeated, { metric, comparable }: Measure): Difference {
  if (!comparable) return incomparable(before, after);
  return isNothing(before) && isNothing(after) ? NOTHING[metric] : differenceOf(before, after, LINE_FLOORS[metric]);
}

/** Most lines of most programs: one object serves all of them. */
const NOTHING = Object.fromEntries(
  Object.entries(LINE_FLOORS).map(([metric, floor]) => {
    const zero = { values: [0], uncertain: 0 };
    return [metric, differenceOf(zero, zero, floor)];
  }),
) as Readonly<Record<ComparedMetric, Difference>>;

function isNothing({ values, uncertain }: Repeated): boolean {
  return values.length === 1 && values[0] === 0 && uncertain === 0;
}
