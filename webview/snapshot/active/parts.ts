/** The parts of the program that record_function named, in rows below the chart: what lies within another is below it. */
import { printable } from "../../../src/profile/text/text.ts";
import type { SnapshotPart } from "../../../src/protocol/torch/snapshot.ts";
import { shortened } from "../../chartText.ts";

/** Of a row, CSS pixels. */
export const ROW_HEIGHT = 17;
/** Deeper ones are named where one points, and have no row. */
const MOST_ROWS = 3;
/** Left and right of the words in a part. */
const PADDING = 4;
/** CSS pixels; parts that are all narrower are drawn as one. */
const NARROWEST = 2;
const LEAST_WORDS = 24;

export interface PlacedPart {
  readonly part: SnapshotPart;
  /** From 0, the outermost. */
  readonly row: number;
}

/** @param parts in the order in which they began */
export function placedParts(parts: readonly SnapshotPart[]): PlacedPart[] {
  /** Where those end that may be going on, by row. */
  const ends: number[] = [];
  return parts.flatMap((part) => {
    while ((ends.at(-1) ?? Number.POSITIVE_INFINITY) <= (part.from ?? 0)) ends.pop();
    const row = ends.push(part.to ?? Number.POSITIVE_INFINITY) - 1;
    return row < MOST_ROWS ? [{ part, row }] : [];
  });
}

export const rowsOf = (placed: readonly PlacedPart[]): number =>
  placed.reduce((rows, { row }) => Math.max(rows, row + 1), 0);

/** What is drawn of a part; CSS pixels. */
export interface PartBox {
  readonly row: number;
  readonly x: number;
  readonly width: number;
  /** Empty where there is no room. */
  readonly words: string;
}

/**
 * @param x where a moment lies; moments that are not seen lie outside of `left` to `right`
 */
export function partBoxes(
  placed: readonly PlacedPart[],
  x: (moment: number) => number,
  left: number,
  right: number,
): PartBox[] {
  const boxes: PartBox[] = [];
  /** By row, the end of what was drawn last. */
  const drawn: number[] = [];
  for (const { part, row } of placed) {
    // What its first event did is drawn from that moment on, and what its last one did until the next.
    const from = Math.max(left, part.from === undefined ? left : x(part.from + 1));
    const to = Math.min(right, part.to === undefined ? right : x(part.to + 1));
    if (to < left || from > right || (to - from < NARROWEST && from < (drawn[row] ?? left))) continue;
    const width = Math.max(NARROWEST, to - from);
    const room = width - 2 * PADDING;
    boxes.push({ row, x: from, width, words: room < LEAST_WORDS ? "" : shortened(printable(part.name), room) });
    drawn[row] = from + width;
  }
  return boxes;
}
