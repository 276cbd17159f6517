/** Which line an allocation belongs to, how that is called, and which color it has. */
import { fileName, shortName } from "../../src/massif/tree/frameNames.ts";
import { printable } from "../../src/profile/text/text.ts";
import type { Place } from "../../src/protocol/torch/snapshot.ts";
import { phrase, say } from "../../src/words/t.ts";
import type { StackName, StackNames } from "./decode.ts";

/** Colors there are; lines beyond share one. */
export const LINE_COLORS = 6;

const NO_STACK = phrase("No stack was recorded");

/** Equal for stacks of one line; undefined where no stack was recorded. */
function keyOf(name: StackName | undefined): string | undefined {
  if (name === undefined) return undefined;
  return name.line === undefined ? name.name : `${name.line.path}:${name.line.line}`;
}

/** `train.py:33`. */
export const placeName = ({ path, line }: Place): string => `${printable(fileName(path))}:${line}`;

/** `train.py:33 forward`; the innermost function where there is no line of Python. */
export function stackName(name: StackName | undefined): string {
  if (name === undefined) return say(NO_STACK);
  if (name.line === undefined) return shortName({ kind: "native", function: name.name, interpreter: false });
  return `${placeName(name.line)} ${printable(name.name)}`;
}

/** What is live, by line; undefined: what has no stack. */
export function heldByLine(
  stacks: StackNames,
  live: Iterable<{ readonly stack: number; readonly size: number }>,
): Map<string | undefined, { readonly name: StackName | undefined; readonly bytes: number }> {
  const sums = new Map<string | undefined, { name: StackName | undefined; bytes: number }>();
  for (const { stack, size } of live) {
    const name = stacks.get(stack);
    const key = keyOf(name);
    sums.set(key, { name, bytes: (sums.get(key)?.bytes ?? 0) + size });
  }
  return sums;
}

export interface LineUse {
  readonly name: string;
  readonly line: Place | undefined;
  /** Place among the colors; those beyond share one, and what has no stack has another. */
  readonly color: LineColor;
  readonly bytes: number;
}

export type LineColor = number | "other" | "none";

/** Gives lines their colors, and keeps them while the page lives: a color must not change its meaning. */
export class LineColors {
  readonly #places = new Map<string, number>();

  of(name: StackName | undefined): LineColor {
    const key = keyOf(name);
    if (key === undefined) return "none";
    const place = this.#places.get(key) ?? LINE_COLORS;
    return place < LINE_COLORS ? place : "other";
  }

  /** Lines of what is live, heaviest first; those that are new and heavy get the colors that are left. */
  use(stacks: StackNames, live: Iterable<{ readonly stack: number; readonly size: number }>): LineUse[] {
    const heaviest = [...heldByLine(stacks, live)].sort(([, a], [, b]) => b.bytes - a.bytes);
    for (const [key] of heaviest)
      if (key !== undefined && !this.#places.has(key)) this.#places.set(key, this.#places.size);
    return heaviest.map(([, { name, bytes }]) => ({
      name: stackName(name),
      line: name?.line,
      color: this.of(name),
      bytes,
    }));
  }
}

/** Whatever the letters' case. */
export const containsText = (whole: string, part: string): boolean => whole.toLowerCase().includes(part.toLowerCase());

/** Whether a search finds a stack: by its line's path and number, or by its function. */
export function isFound(name: StackName | undefined, text: string): boolean {
  if (name === undefined) return containsText(say(NO_STACK), text);
  return containsText(name.line === undefined ? name.name : `${name.line.path}:${name.line.line} ${name.name}`, text);
}
