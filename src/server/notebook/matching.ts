/** Finds the cells of a run in a notebook as it is now: cells may have been moved, edited, added and deleted since. */

export interface ProfiledCell {
  /** As a measured file. */
  readonly path: string;
  readonly id?: string;
  /** As it ran; undefined where its text was not kept. */
  readonly text: string | undefined;
}

export interface OpenCell {
  readonly uri: string;
  readonly id?: string;
  readonly text: string;
}

/** So alike two cells must be to be the same one, edited: the share of lines that both have. */
const ALIKE = 0.5;
/** Beyond this many comparisons of edited cells none is made: this is done again with each edit. */
const MOST_COMPARISONS = 10_000;

interface Read<Cell> {
  readonly cell: Cell;
  /** Its lines that are not blank. */
  readonly lines: readonly string[];
}
type Pair = readonly [Read<ProfiledCell>, Read<OpenCell>];

/** The open cells' URIs to the paths of the cells they were: by id, then by equal text in order, then the most alike. */
export function matchCells(profiled: readonly ProfiledCell[], open: readonly OpenCell[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const left = { profiled: new Set(profiled.map(read)), open: new Set(open.map(read)) };
  const pair = (pairs: readonly Pair[]) => {
    for (const [ran, now] of pairs) {
      if (!left.profiled.has(ran) || !left.open.has(now)) continue;
      found.set(now.cell.uri, ran.cell.path);
      left.profiled.delete(ran);
      left.open.delete(now);
    }
  };
  pair(equal(left.profiled, left.open, ({ cell }) => cell.id));
  // Where a notebook has ids, a cell without a match is another one: but a tool may have given them anew.
  pair(equal(left.profiled, left.open, ({ lines }) => lines.join("\n") || undefined));
  pair(mostAlikeFirst([...left.profiled], [...left.open]));
  return found;
}

function read<Cell extends { readonly text: string | undefined }>(cell: Cell): Read<Cell> {
  return { cell, lines: linesOf(cell.text ?? "") };
}

/** Those of equal keys, the first with the first; cells without a key are not paired. */
function equal(
  profiled: ReadonlySet<Read<ProfiledCell>>,
  open: ReadonlySet<Read<OpenCell>>,
  keyOf: (of: Read<ProfiledCell | OpenCell>) => string | undefined,
): Pair[] {
  const waiting = new Map<string, Read<OpenCell>[]>();
  for (const now of [...open].reverse()) {
    const key = keyOf(now);
    if (key === undefined) continue;
    const alike = waiting.get(key);
    if (alike === undefined) waiting.set(key, [now]);
    else alike.push(now);
  }
  return [...profiled].flatMap((ran): Pair[] => {
    const now = waiting.get(keyOf(ran) ?? "")?.pop();
    return now === undefined ? [] : [[ran, now]];
  });
}

function mostAlikeFirst(profiled: readonly Read<ProfiledCell>[], open: readonly Read<OpenCell>[]): Pair[] {
  if (profiled.length * open.length > MOST_COMPARISONS) return [];
  return profiled
    .flatMap((ran) => open.map((now) => ({ pair: [ran, now] as const, share: shareOf(ran.lines, now.lines) })))
    .filter(({ share }) => share >= ALIKE)
    .sort((a, b) => b.share - a.share)
    .map(({ pair }) => pair);
}

function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function shareOf(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of b) {
    const count = counts.get(line) ?? 0;
    if (count > 0) common++;
    counts.set(line, count - 1);
  }
  return a.length + b.length === 0 ? 0 : (2 * common) / (a.length + b.length);
}
