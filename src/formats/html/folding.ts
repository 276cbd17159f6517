/** Which lines of a source are shown, where all would make the report too large. */

export interface MeasuredLine {
  /** 1-based. */
  readonly line: number;
  readonly weight: number;
}

/** Lines from `from` to `to`, both 1-based and shown. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Folded {
  readonly stretches: readonly Stretch[];
  /** Of `room`, what they take. */
  readonly taken: number;
  /** Measured lines that found no room, and the most that one of them took. */
  readonly left: { readonly lines: number; readonly heaviest: number };
}

export interface FoldOptions {
  /** Lines around a measured one that are shown too. */
  readonly context: number;
  /** A file of no more lines is shown whole, where it fits. */
  readonly whole: number;
  /** What the lines may take together, as `cost` counts. */
  readonly room: number;
  cost(line: number): number;
}

/** The heaviest lines get the room first, each with the lines around it. */
export function fold(count: number, measured: readonly MeasuredLine[], options: FoldOptions): Folded {
  const { context, whole, room, cost } = options;
  const shown = new Set<number>();
  let taken = 0;
  /** Whether all of them found room. */
  const show = (from: number, to: number): boolean => {
    const added: number[] = [];
    let price = 0;
    for (let line = Math.max(1, from); line <= Math.min(count, to); line++) {
      if (shown.has(line)) continue;
      added.push(line);
      price += cost(line);
    }
    if (taken + price > room) return false;
    for (const line of added) shown.add(line);
    taken += price;
    return true;
  };
  if (count > whole || !show(1, count)) {
    const byWeight = [...measured].sort((a, b) => b.weight - a.weight || a.line - b.line);
    for (const { line } of byWeight) {
      if (!show(line - context, line + context) && !show(line, line)) break;
    }
  }
  const left = measured.filter(({ line }) => !shown.has(line));
  return {
    stretches: stretchesOf([...shown].sort((a, b) => a - b)),
    taken,
    left: { lines: left.length, heaviest: left.reduce((most, { weight }) => Math.max(most, weight), 0) },
  };
}

function stretchesOf(lines: readonly number[]): Stretch[] {
  const stretches: { from: number; to: number }[] = [];
  for (const line of lines) {
    const last = stretches.at(-1);
    if (last !== undefined && line === last.to + 1) last.to = line;
    else stretches.push({ from: line, to: line });
  }
  return stretches;
}
