/** Which lines hold more in one snapshot than in another. Bytes. */
import { defined } from "../../profile/defined.ts";

/** What a line holds at a moment, or an operation that has no line. */
export interface HeldLine {
  /** The function, or the operation. */
  readonly name: string;
  readonly place?: { readonly path: string; readonly line: number };
  readonly bytes: number;
}

/** 0 where it holds nothing in one of them. */
export interface ComparedLine {
  readonly name: string;
  readonly place?: { readonly path: string; readonly line: number };
  readonly here: number;
  readonly there: number;
}

/** @returns those whose bytes differ most first; lines are the same where file and number are */
export function comparedLines(here: readonly HeldLine[], there: readonly HeldLine[]): ComparedLine[] {
  const left = new Map(there.map((line) => [keyOf(line), line]));
  const take = (wanted: HeldLine): HeldLine | undefined => {
    const key = left.has(keyOf(wanted)) ? keyOf(wanted) : [...left].find(([, line]) => isSame(wanted, line))?.[0];
    const found = key === undefined ? undefined : left.get(key);
    if (key !== undefined) left.delete(key);
    return found;
  };
  const both = here.map((line) => ({ line, other: take(line) }));
  const rows = [
    ...both.map(({ line, other }) => rowOf(line, line.bytes, other?.bytes ?? 0)),
    ...[...left.values()].map((line) => rowOf(line, 0, line.bytes)),
  ];
  return rows.sort((a, b) => Math.abs(b.here - b.there) - Math.abs(a.here - a.there) || b.here - a.here);
}

const keyOf = ({ name, place }: HeldLine): string =>
  place === undefined ? name : JSON.stringify([place.path, place.line]);

/** A file outside of any run has whole paths, one of a run those below the project. */
function isSame({ place: a }: HeldLine, { place: b }: HeldLine): boolean {
  if (a === undefined || b === undefined || a.line !== b.line) return false;
  return a.path.endsWith(`/${b.path}`) || b.path.endsWith(`/${a.path}`);
}

function rowOf({ name, place }: HeldLine, here: number, there: number): ComparedLine {
  return { name, ...defined({ place }), here, there };
}
