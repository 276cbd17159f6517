/** Which file of one side is which of the other: by name, and where it was renamed or moved, by its text. */
import { cellOf } from "../../profile/notebook.ts";
import type { SourceFile } from "./sourceMatch.ts";

/** A file of which this share of its lines is in another is that file, edited. */
const ENOUGH = 0.5;
/** So many lines, none blank, are needed to recognize a text that was edited. */
const LEAST_LINES = 3;
/** Beyond this many comparisons of files only those of the same name are compared. */
const MOST_COMPARISONS = 10_000;

export type FilePair = readonly [SourceFile, SourceFile];

/** Cells of a notebook are numbered by their places: one that is inserted moves all names below it. */
const isCell = (path: string): boolean => cellOf(path) !== undefined;

export function pairFiles(before: readonly SourceFile[], after: readonly SourceFile[]): FilePair[] {
  const pairs = sameName(before, after, (path) => !isCell(path));
  const rest = () => {
    const used = new Set(pairs.flat());
    return [before, after].map((files) => files.filter((file) => !used.has(file)));
  };
  const add = (likeness: (others: readonly (readonly SourceFile[])[]) => typeof sameText) => {
    const others = rest();
    pairs.push(...matching(others[0] ?? [], others[1] ?? [], likeness(others)));
  };
  add(() => sameText);
  add(likenessOf);
  const [old = [], now = []] = rest();
  return [...pairs, ...sameName(old, now, isCell)];
}

function sameName(
  before: readonly SourceFile[],
  after: readonly SourceFile[],
  which: (path: string) => boolean,
): FilePair[] {
  const byPath = new Map(before.map((file) => [file.path, file]));
  return after.flatMap((file): FilePair[] => {
    const same = which(file.path) ? byPath.get(file.path) : undefined;
    return same === undefined ? [] : [[same, file]];
  });
}

/** The pairs that fit best, each file once; of those that fit alike the names that agree most. */
function matching(
  before: readonly SourceFile[],
  after: readonly SourceFile[],
  likeness: (old: SourceFile, now: SourceFile) => number,
): FilePair[] {
  const candidates = before.flatMap((old) =>
    after.flatMap((now) => {
      const value = likeness(old, now);
      return value < ENOUGH ? [] : [{ old, now, value, name: commonEnd(old.path, now.path) }];
    }),
  );
  candidates.sort((a, b) => b.value - a.value || b.name - a.name);
  const taken = new Set<SourceFile>();
  const pairs: FilePair[] = [];
  for (const { old, now } of candidates) {
    if (taken.has(old) || taken.has(now)) continue;
    taken.add(old).add(now);
    pairs.push([old, now]);
  }
  return pairs;
}

function sameText(old: SourceFile, now: SourceFile): number {
  return old.sha256 !== "" && old.sha256 === now.sha256 ? 1 : 0;
}

function likenessOf([before = [], after = []]: readonly (readonly SourceFile[])[]) {
  const all = before.length * after.length <= MOST_COMPARISONS;
  const counted = new Map([...before, ...after].map((file) => [file, countLines(file.lines ?? [])]));
  return (old: SourceFile, now: SourceFile): number => {
    if (!all && nameOf(old.path) !== nameOf(now.path)) return 0;
    const a = counted.get(old);
    const b = counted.get(now);
    return a === undefined || b === undefined ? 0 : shareInCommon(a, b);
  };
}

interface Counted {
  readonly lines: ReadonlyMap<string, number>;
  readonly count: number;
}

function countLines(lines: readonly string[]): Counted {
  const counts = new Map<string, number>();
  let count = 0;
  for (const line of lines) {
    const text = line.trim();
    if (text === "") continue;
    counts.set(text, (counts.get(text) ?? 0) + 1);
    count += 1;
  }
  return { lines: counts, count };
}

/** Of the lines of the longer one, 0 to 1. */
function shareInCommon(a: Counted, b: Counted): number {
  const longer = Math.max(a.count, b.count);
  // Even if all of the shorter one were in it, it would not be enough.
  if (Math.min(a.count, b.count) < Math.max(LEAST_LINES, longer * ENOUGH)) return 0;
  let common = 0;
  for (const [text, count] of a.lines) common += Math.min(count, b.lines.get(text) ?? 0);
  return common / longer;
}

/** How many parts of two paths agree, from the end. */
function commonEnd(a: string, b: string): number {
  const left = a.split("/").reverse();
  const right = b.split("/").reverse();
  const differing = left.findIndex((part, at) => part !== right[at]);
  return differing < 0 ? left.length : differing;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
