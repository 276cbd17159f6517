/** Which lines the table shows, and in which order. Pure. */
import { mainChange, type Told, told } from "../../src/compare/label.ts";
import { changeOf } from "../../src/compare/noise.ts";
import type { CompareLine, ComparePageState } from "../../src/protocol/compare.ts";

export type Sort = ComparePageState["sort"];

export interface Choice {
  readonly sort: Sort;
  readonly search: string;
  /** Lines that did not change too. */
  readonly all: boolean;
}

export const isChanged = (line: CompareLine): boolean => mainChange(line) !== undefined;

/** A figure of a line; one line may have two. */
export interface Row extends Told {
  readonly line: CompareLine;
}

export function rowsOf(lines: readonly CompareLine[], { sort, search, all }: Choice): readonly Row[] {
  const wanted = search.trim().toLowerCase();
  const found = lines.filter(
    (line) => (all || isChanged(line)) && `${line.path}\n${line.text}`.toLowerCase().includes(wanted),
  );
  return found.flatMap((line) => told(line).map((each) => ({ ...each, line }))).sort(ORDERS[sort]);
}

type Order = (a: Row, b: Row) => number;

const byPlace: Order = ({ line: a }, { line: b }) =>
  a.path === b.path ? placeOf(a) - placeOf(b) : a.path < b.path ? -1 : 1;
const largest =
  (figure: (row: Row) => number): Order =>
  (a, b) =>
    figure(b) - figure(a) || byPlace(a, b);

const ORDERS: Readonly<Record<Sort, Order>> = {
  place: byPlace,
  change: largest(({ difference }) => Math.abs(changeOf(difference) ?? 0)),
  after: largest(({ difference }) => difference.after?.median ?? 0),
};

/** The line's number in the later source, or in the earlier one where it is gone. */
export const placeOf = ({ before, after }: CompareLine): number => after ?? before ?? 0;
