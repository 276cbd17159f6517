/** Choosing the points of a chart. */

export type Figure = (position: number) => number | undefined;

/**
 * At most `maxPoints` positions of `size`, in order: in each stretch the lowest and the highest of each figure, besides
 * the first, the last and those of `always`. Stretches keep their borders while the series grows (until they double in
 * length), so that what is worked out for a point can be kept.
 */
export function thinned(
  size: number,
  maxPoints: number,
  figures: readonly Figure[],
  always: readonly number[],
): readonly number[] {
  if (size <= maxPoints) return Array.from({ length: size }, (_, position) => position);
  const stretches = Math.max(1, Math.floor((maxPoints - always.length - 2) / (2 * figures.length)));
  let length = 1;
  while (Math.ceil(size / length) > stretches) length *= 2;
  const kept = new Set<number>([0, size - 1, ...always]);
  for (let from = 0; from < size; from += length) {
    const to = Math.min(size, from + length);
    for (const figure of figures) for (const position of extremes(figure, from, to)) kept.add(position);
  }
  return [...kept].sort((a, b) => a - b);
}

function extremes(figure: Figure, from: number, to: number): number[] {
  let low: { readonly position: number; readonly value: number } | undefined;
  let high = low;
  for (let position = from; position < to; position++) {
    const value = figure(position);
    if (value === undefined) continue;
    if (low === undefined || value < low.value) low = { position, value };
    if (high === undefined || value > high.value) high = { position, value };
  }
  return low === undefined || high === undefined ? [] : [low.position, high.position];
}
