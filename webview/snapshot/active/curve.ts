/** Figures that change at events, as steps: from each moment on they have their value until the next. */

/** The first place whose value is above `limit`; `values` ascend. */
export function firstAbove(values: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The step that a moment is in; the first one for moments before it. */
export const stepAt = (moments: ArrayLike<number>, moment: number): number =>
  Math.max(0, firstAbove(moments, moment) - 1);

/** Of the steps that are seen from `from` up to but not including `to`, the one with the greatest value, the earliest of equals. */
export function highestStep(moments: ArrayLike<number>, values: ArrayLike<number>, from: number, to: number): number {
  let best = stepAt(moments, from);
  for (let i = best + 1; i < moments.length && (moments[i] ?? 0) < to; i++)
    if ((values[i] ?? 0) > (values[best] ?? 0)) best = i;
  return best;
}

/**
 * The part of a curve that is seen, as the path of an SVG.
 *
 * @param positions of its steps, ascending; the curve ends at the last one
 */
export function stepPath(
  positions: ArrayLike<number>,
  values: ArrayLike<number>,
  { from, to }: { readonly from: number; readonly to: number },
  x: (position: number) => number,
  y: (value: number) => number,
): string {
  const end = Math.min(to, positions[positions.length - 1] ?? from);
  if (end <= from) return "";
  const first = stepAt(positions, from);
  const parts = [`M${round(x(Math.max(from, positions[first] ?? from)))},${round(y(values[first] ?? 0))}`];
  for (let i = first + 1; i < positions.length && (positions[i] ?? 0) <= to; i++)
    parts.push(`H${round(x(positions[i] ?? 0))}V${round(y(values[i] ?? 0))}`);
  return `${parts.join("")}H${round(x(end))}`;
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10;
