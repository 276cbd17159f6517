/** Layers one upon the other, as they are drawn: where one ends, those above it come down. */

export interface LayerColumns {
  /** Moments, ascending. */
  readonly start: ArrayLike<number>;
  readonly end: ArrayLike<number>;
  /** Bytes. */
  readonly size: ArrayLike<number>;
}

/** How high a thing lies, in bytes: from `moments[n]` until before `moments[n + 1]` at `offsets[n]`. */
export interface Steps {
  readonly moments: readonly number[];
  readonly offsets: readonly number[];
}

export interface StackedLayers {
  /** The lower edge of each layer, from its first moment in the range on. */
  readonly layers: readonly Steps[];
  /** The upper edge of them all, over the whole range. */
  readonly top: Steps;
}

/**
 * The layers in the given order, the first at the bottom; each begins on top of those that are there by then. It takes
 * as many steps as layers come down, at most half the square of their number.
 * @param from, to the range of moments
 */
export function stackLayers({ start, end, size }: LayerColumns, from: number, to: number): StackedLayers {
  const layers = Array.from({ length: start.length }, () => ({ moments: [] as number[], offsets: [] as number[] }));
  const top = { moments: [from], offsets: [0] };
  const piled: number[] = [];
  let height = 0;

  function remove(layer: number, moment: number): void {
    const place = piled.indexOf(layer);
    const bytes = size[layer] ?? 0;
    piled.splice(place, 1);
    for (const above of piled.slice(place)) {
      const steps = layers[above];
      step(steps, moment, (steps?.offsets.at(-1) ?? 0) - bytes);
    }
    height -= bytes;
    step(top, moment, height);
  }

  const ends = Array.from(layers, (_, layer) => layer).filter((layer) => (end[layer] ?? 0) > from);
  ends.sort((a, b) => (end[a] ?? 0) - (end[b] ?? 0) || b - a);
  let ended = 0;
  function removeUntil(moment: number): void {
    for (let layer = ends[ended]; layer !== undefined && (end[layer] ?? 0) <= moment; layer = ends[++ended]) {
      remove(layer, end[layer] ?? 0);
    }
  }

  for (let layer = 0; layer < layers.length; layer++) {
    const begins = Math.max(from, start[layer] ?? 0);
    if ((end[layer] ?? 0) <= from || begins > to) continue;
    removeUntil(begins);
    step(layers[layer], begins, height);
    piled.push(layer);
    height += size[layer] ?? 0;
    step(top, begins, height);
  }
  removeUntil(to);
  return { layers, top };
}

/** A step at the moment of the last one replaces it. */
function step(steps: { moments: number[]; offsets: number[] } | undefined, moment: number, offset: number): void {
  if (steps === undefined) return;
  if (steps.moments.at(-1) === moment) steps.offsets[steps.offsets.length - 1] = offset;
  else {
    steps.moments.push(moment);
    steps.offsets.push(offset);
  }
}
