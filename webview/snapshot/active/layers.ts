/**
 * Allocations over time. A moment is a number of events that have happened: 0 is before the first recorded one. At each
 * moment the allocations that are live lie upon each other, those made first at the bottom.
 */

export interface Layers {
  /** First moment at which each is live, ascending; 0 for what was live before the first recorded event. */
  readonly start: Uint32Array;
  /** First moment at which it is not; above the last moment for what is never freed. */
  readonly end: Uint32Array;
  /** Bytes. */
  readonly size: Float64Array;
}

/** Finds what is live moment after moment without going through all allocations each time. */
export class LiveSweep {
  readonly #layers: Layers;
  readonly #live: Int32Array;
  #count = 0;
  #next = 0;
  #moment = -1;

  constructor(layers: Layers) {
    this.#layers = layers;
    this.#live = new Int32Array(layers.start.length);
  }

  /** Places of the live layers, from the bottom up; valid until the next call. Fast where moments ascend. */
  at(moment: number): Int32Array {
    const { start, end } = this.#layers;
    if (moment < this.#moment) {
      this.#count = 0;
      this.#next = 0;
    }
    if (moment !== this.#moment) {
      this.#moment = moment;
      const live = this.#live;
      let kept = 0;
      for (let i = 0; i < this.#count; i++) {
        const layer = live[i] ?? 0;
        if ((end[layer] ?? 0) > moment) live[kept++] = layer;
      }
      for (; this.#next < start.length && (start[this.#next] ?? 0) <= moment; this.#next++)
        if ((end[this.#next] ?? 0) > moment) live[kept++] = this.#next;
      this.#count = kept;
    }
    return this.#live.subarray(0, this.#count);
  }
}

/** The layer that covers a height in bytes, among live ones from the bottom up; undefined above all of them. */
export function layerAt(live: Int32Array, { size }: Layers, bytes: number): number | undefined {
  let top = 0;
  for (const layer of live) {
    top += size[layer] ?? 0;
    if (bytes < top) return layer;
  }
  return undefined;
}

/** Bytes below a layer at a moment where it is live; undefined where it is not. */
export function bytesBelow(live: Int32Array, { size }: Layers, layer: number): number | undefined {
  let below = 0;
  for (const other of live) {
    if (other === layer) return below;
    below += size[other] ?? 0;
  }
  return undefined;
}
