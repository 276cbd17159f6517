/** Finds the lines of a profiled source in the document as it is now. Lines are 1-based. */
import { diffArrays } from "diff";
import { pairByLikeness } from "./likeness.ts";

export interface MappedLine {
  readonly line: number;
  /** The line's text is another than what was profiled, or it was found by its content alone. */
  readonly stale: boolean;
}

export interface LineMap {
  /** The texts differ in any line. */
  readonly changed: boolean;
  /** Where a profiled line is now; undefined where it is gone. */
  toDocument(profiledLine: number): MappedLine | undefined;
  /** The profiled line shown at a document's line. */
  toProfiled(documentLine: number): MappedLine | undefined;
}

/** Beyond this many edits a line-by-line comparison costs more than it tells; content alone decides then. */
const MAX_EDITS = 600;

export function mapLines(profiled: readonly string[], document: readonly string[]): LineMap {
  const old = profiled.map((line) => line.trimEnd());
  const now = document.map((line) => line.trimEnd());
  const pairs = createPairs(old.length, now.length);

  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  ) {
    tail++;
  }
  for (let i = 0; i < head; i++) pairs.add(i + 1, i + 1, false);
  for (let i = 0; i < tail; i++) pairs.add(old.length - i, now.length - i, false);

  const gaps = compareMiddle(old.slice(head, old.length - tail), now.slice(head, now.length - tail), head, pairs);
  matchByContent(old, now, gaps, pairs);
  matchByLikeness(old, now, gaps, pairs);
  return {
    changed: head < old.length || head < now.length,
    toDocument: pairs.toDocument,
    toProfiled: pairs.toProfiled,
  };
}

interface Pairs extends Omit<LineMap, "changed"> {
  add(profiledLine: number, documentLine: number, stale: boolean): void;
}

/** Plain arrays of numbers: an object for each of 10,000 lines would cost more than the comparison. */
function createPairs(profiledLines: number, documentLines: number): Pairs {
  const forward = new Int32Array(profiledLines + 1);
  const backward = new Int32Array(documentLines + 1);
  const staleLines = new Uint8Array(profiledLines + 1);
  return {
    add(profiledLine, documentLine, stale) {
      forward[profiledLine] = documentLine;
      backward[documentLine] = profiledLine;
      staleLines[profiledLine] = stale ? 1 : 0;
    },
    toDocument(profiledLine) {
      const line = forward[profiledLine] ?? 0;
      return line === 0 ? undefined : { line, stale: staleLines[profiledLine] === 1 };
    },
    toProfiled(documentLine) {
      const line = backward[documentLine] ?? 0;
      return line === 0 ? undefined : { line, stale: staleLines[line] === 1 };
    },
  };
}

/** Lines that are on one side only, 1-based. */
interface Gap {
  readonly old: readonly number[];
  readonly now: readonly number[];
}

function compareMiddle(old: readonly string[], now: readonly string[], offset: number, pairs: Pairs): Gap[] {
  // The comparison itself finds out late, after MAX_EDITS² steps, that there are too many.
  const changes =
    fewestEdits(old, now) > MAX_EDITS ? undefined : diffArrays([...old], [...now], { maxEditLength: MAX_EDITS });
  if (changes === undefined) return [{ old: numbers(offset, old.length), now: numbers(offset, now.length) }];
  const gaps: Gap[] = [];
  let gap: { old: number[]; now: number[] } = { old: [], now: [] };
  let oldAt = offset;
  let nowAt = offset;
  for (const change of changes) {
    if (change.removed) {
      gap.old.push(...numbers(oldAt, change.count));
      oldAt += change.count;
    } else if (change.added) {
      gap.now.push(...numbers(nowAt, change.count));
      nowAt += change.count;
    } else {
      gaps.push(gap);
      gap = { old: [], now: [] };
      for (let i = 0; i < change.count; i++) pairs.add(++oldAt, ++nowAt, false);
    }
  }
  gaps.push(gap);
  return gaps;
}

/** Lines that one side has oftener than the other: each is removed or added at least. */
function fewestEdits(old: readonly string[], now: readonly string[]): number {
  const surplus = new Map<string, number>();
  for (const line of old) surplus.set(line, (surplus.get(line) ?? 0) + 1);
  for (const line of now) surplus.set(line, (surplus.get(line) ?? 0) - 1);
  let edits = 0;
  for (const count of surplus.values()) edits += Math.abs(count);
  return edits;
}

function numbers(offset: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => offset + i + 1);
}

/** A line that was moved or indented is recognized where its text is found once on each side. */
function matchByContent(old: readonly string[], now: readonly string[], gaps: readonly Gap[], pairs: Pairs): void {
  const before = uniqueLines(
    old,
    gaps.flatMap((gap) => gap.old),
  );
  const after = uniqueLines(
    now,
    gaps.flatMap((gap) => gap.now),
  );
  for (const [text, line] of before) {
    const found = after.get(text);
    if (line !== undefined && found !== undefined) pairs.add(line, found, true);
  }
}

/** Text without indentation → its line; undefined for a text that comes more than once. */
function uniqueLines(lines: readonly string[], numbers: readonly number[]): Map<string, number | undefined> {
  const found = new Map<string, number | undefined>();
  for (const number of numbers) {
    const text = lines[number - 1]?.trim() ?? "";
    if (text !== "") found.set(text, found.has(text) ? undefined : number);
  }
  return found;
}

/** What stands between the same matched lines and is alike belongs together. */
function matchByLikeness(old: readonly string[], now: readonly string[], gaps: readonly Gap[], pairs: Pairs): void {
  for (const gap of gaps) {
    const before = gap.old.filter((line) => pairs.toDocument(line) === undefined);
    const after = gap.now.filter((line) => pairs.toProfiled(line) === undefined);
    const text = (lines: readonly string[], numbers: readonly number[]) => numbers.map((line) => lines[line - 1] ?? "");
    for (const [i, j] of pairByLikeness(text(old, before), text(now, after))) {
      const from = before[i];
      const to = after[j];
      if (from !== undefined && to !== undefined) pairs.add(from, to, true);
    }
  }
}
