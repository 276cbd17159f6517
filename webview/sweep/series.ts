/** What the plot shows: a line for each combination of the other parameters. Pure. */
import { defined } from "../../src/profile/defined.ts";
import type { Estimate, Figure, Room, Sweep, SweepPoint } from "../../src/sweep/model.ts";
import { sameValues, valuesText, without } from "../../src/sweep/values.ts";

export interface Mark {
  readonly x: number;
  readonly point: SweepPoint;
  /** Bytes. */
  readonly peak: { readonly median: number; readonly least: number; readonly most: number };
}

export interface Series {
  /** `device cuda`; empty where there is no other parameter. */
  readonly name: string;
  /** The same without the parameters' names, as it stands beside the line. */
  readonly label: string;
  /** Those with a peak, from small to large. */
  readonly marks: readonly Mark[];
  readonly estimate?: Estimate;
}

/** @param axis a numeric parameter */
export function seriesAlong({ points, limits }: Sweep, axis: string, figure: Figure): Series[] {
  const series: { readonly others: SweepPoint["values"]; readonly marks: Mark[] }[] = [];
  for (const point of points) {
    const others = without(point.values, axis);
    let own = series.find((one) => sameValues(one.others, others));
    if (own === undefined) {
      own = { others, marks: [] };
      series.push(own);
    }
    const peak = point.peaks[figure];
    if (peak !== undefined) own.marks.push({ x: Number(point.values[axis]), point, peak });
  }
  return series.map(({ others, marks }) => {
    const limit = limits.find((one) => one.parameter === axis && sameValues(one.others, others));
    const estimate = limit?.estimates.find((one) => one.figure === figure);
    return {
      name: valuesText(others),
      label: Object.values(others).join(", "),
      marks: [...marks].sort((a, b) => a.x - b.x),
      ...defined({ estimate }),
    };
  });
}

/** A room beyond so many times the highest peak would press the lines onto the axis; it is told in words then. */
const FAR = 4;

export function roomIsNear(room: Room | undefined, points: readonly SweepPoint[], figure: Figure): room is Room {
  const highest = Math.max(0, ...points.map(({ peaks }) => peaks[figure]?.most ?? 0));
  return room !== undefined && room.bytes <= FAR * highest;
}

/** An estimate further out than so many times the largest value would press the lines to the side. */
const WIDE = 3;

/** The values along the plot: those measured, and the estimates that are not too far out. */
export function domainOf(series: readonly Series[]): readonly [number, number] {
  const xs = series.flatMap(({ marks }) => marks.map(({ x }) => x));
  const most = Math.max(...xs);
  const estimates = series.flatMap(({ estimate }) => (estimate?.kind === "fits-up-to" ? estimate.largest : []));
  const near = estimates.filter((largest) => largest > 0 && largest <= WIDE * most);
  const least = Math.min(...xs);
  return [least >= 0 ? 0 : least, Math.max(most, ...near)];
}

/**
 * Heights for labels that stand beside one another's lines, each at least `gap` from the next and as near to its own
 * line as that allows, within `top` and `bottom`.
 */
export function spreadLabels(heights: readonly number[], gap: number, top: number, bottom: number): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const placed = new Array<number>(heights.length).fill(0);
  let above = top - gap;
  for (const i of order) {
    above = Math.max(heights[i] ?? 0, above + gap);
    placed[i] = above;
  }
  let below = bottom + gap;
  for (const i of [...order].reverse()) {
    below = Math.min(placed[i] ?? 0, below - gap);
    placed[i] = below;
  }
  return placed;
}
