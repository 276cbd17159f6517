/** How certain the figures of a sampled process are, by line. Pure. */
import { bandOf, samplingBand } from "../profile/run/nativeStacks.ts";
import { type LineAtPeak, linesAtPeak } from "./lines.ts";
import type { CallTree } from "./model.ts";
import { frameTreeOf, type LabelFacts } from "./tree/frameTree.ts";

type Share = Pick<LineAtPeak, "path" | "line" | "exact">;

/** Half the widths within which 19 of 20 figures lie, in bytes. */
export interface Bands {
  /** Of all that was live. */
  readonly all: number;
  of(line: Share): { readonly total: number; readonly own: number };
}

/**
 * By what is known of each node.
 * @param variances of the nodes' bytes, in the order of the tree's nodes
 * @param mean bytes allocated between two samples
 */
export function bandsOf(calls: CallTree, facts: LabelFacts, variances: Float64Array, mean: number): Bands {
  const stacks = frameTreeOf({ ...calls, bytes: variances }, facts);
  const keyOf = ({ exact, line, path }: Share): string => `${exact} ${line} ${path}`;
  const known = new Map(linesAtPeak(stacks).map((row) => [keyOf(row), row]));
  const band = (variance: number): number => bandOf(variance, mean);
  return {
    all: band(variances[0] ?? 0),
    of(line) {
      const { total, own } = known.get(keyOf(line)) ?? { total: 0, own: 0 };
      return { total: band(total), own: band(own) };
    },
  };
}

/** By the mean alone, where no more is known: at most so wide. */
export function widestBands(lines: readonly LineAtPeak[], bytes: number, mean: number): Bands {
  return {
    all: samplingBand(bytes, mean),
    of({ exact, line, path }) {
      const found = lines.find((row) => row.exact === exact && row.line === line && row.path === path);
      return { total: samplingBand(found?.total ?? 0, mean), own: samplingBand(found?.own ?? 0, mean) };
    },
  };
}
