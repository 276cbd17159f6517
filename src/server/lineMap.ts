/** Finds the lines of a profiled source in the document as it is now. Lines are 1-based. */
import { diffArrays } from "diff";

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
  const forward = new Map<number, MappedLine>();

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
  for (let i = 0; i < head; i++) forward.set(i + 1, { line: i + 1, stale: false });
  for (let i = 0; i < tail; i++) forward.set(old.length - i, { line: now.length - i, stale: false });

  const gaps = compareMiddle(old.slice(head, old.length - tail), now.slice(head, now.length - tail), head, forward);
  matchByContent(old, now, gaps, forward);
  matchByPlace(gaps, forward);

  const backward = new Map([...forward].map(([from, { line, stale }]) => [line, { line: from, stale }] as const));
  return {
    changed: head < old.length || head < now.length,
    toDocument: (line) => forward.get(line),
    toProfiled: (line) => backward.get(line),
  };
}

/** Lines that are on one side only, 1-based. */
interface Gap {
  readonly old: readonly number[];
  readonly now: readonly number[];
}

function compareMiddle(
  old: readonly string[],
  now: readonly string[],
  offset: number,
  forward: Map<number, MappedLine>,
): Gap[] {
  const changes = diffArrays([...old], [...now], { maxEditLength: MAX_EDITS });
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
      for (let i = 0; i < change.count; i++) forward.set(++oldAt, { line: ++nowAt, stale: false });
    }
  }
  gaps.push(gap);
  return gaps;
}

function numbers(offset: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => offset + i + 1);
}

/** A line that was moved or indented is recognised where its text is found once on each side. */
function matchByContent(
  old: readonly string[],
  now: readonly string[],
  gaps: readonly Gap[],
  forward: Map<number, MappedLine>,
): void {
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
    if (line !== undefined && found !== undefined) forward.set(line, { line: found, stale: true });
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

/** As many lines as before stand in their place: they were edited one by one. */
function matchByPlace(gaps: readonly Gap[], forward: Map<number, MappedLine>): void {
  const taken = new Set([...forward.values()].map((mapped) => mapped.line));
  for (const gap of gaps) {
    const old = gap.old.filter((line) => !forward.has(line));
    const now = gap.now.filter((line) => !taken.has(line));
    if (old.length !== now.length || old.length > MAX_EDITS) continue;
    old.forEach((line, i) => {
      const place = now[i];
      if (place !== undefined) forward.set(line, { line: place, stale: true });
    });
  }
}
