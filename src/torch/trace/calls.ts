/** Which operators ran, inside of which others, at a moment of a thread. */
import type { TraceCalls } from "./model.ts";

/** Spans of one thread, in any order; `end` is after `start`. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: number;
}

export interface CallTree {
  readonly calls: TraceCalls;
  /** The call of an operator inside another call (-1: none). */
  inside(parent: number, name: number): number;
}

export function createCallTree(names: readonly string[]): CallTree {
  const known = new Map<number, number>();
  const name: string[] = [];
  const parent: number[] = [];
  return {
    calls: { name, parent },
    inside(around, place) {
      const key = (around + 1) * names.length + place;
      const found = known.get(key);
      if (found !== undefined) return found;
      const made = name.length;
      name.push(names[place] ?? "");
      parent.push(around);
      known.set(key, made);
      return made;
    },
  };
}

/** Real ones are some twenty deep; a file made for the purpose could have any number. */
const DEEPEST = 500;

/**
 * Says for each moment, which must come in the order of time, what ran then. A span holds the moments of its beginning
 * and end; where one ends as the next begins, the moment is the next one's.
 */
export function createSweep(spans: readonly Span[], tree: CallTree): (moment: number) => number {
  const inOrder = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const open: { readonly end: number; readonly call: number }[] = [];
  let next = 0;

  function closeBefore(time: number): void {
    while ((open.at(-1)?.end ?? Number.POSITIVE_INFINITY) < time) open.pop();
  }
  return (moment) => {
    for (let span = inOrder[next]; span !== undefined && span.start <= moment; span = inOrder[next]) {
      next += 1;
      // What it reaches beyond does not hold it.
      closeBefore(span.end);
      const around = open.at(-1)?.call ?? -1;
      open.push({ end: span.end, call: open.length < DEEPEST ? tree.inside(around, span.name) : around });
    }
    closeBefore(moment);
    return open.at(-1)?.call ?? -1;
  };
}

/** A call in words, outermost first. */
export function callPath({ name, parent }: TraceCalls, call: number): readonly string[] {
  const path: string[] = [];
  for (let at = call; at >= 0; at = parent[at] ?? -1) path.unshift(name[at] ?? "");
  return path;
}
