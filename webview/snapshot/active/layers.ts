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

/** What is live at a moment, from the bottom up. */
export interface Live {
  readonly count: number;
  /** Places of the layers; entries from `count` on mean nothing. */
  readonly layer: Int32Array;
  /** Bytes up to the upper edge of each. */
  readonly top: Float64Array;
  /** So many from the bottom are as they were at the moment that was asked for before. */
  readonly same: number;
}

/** Finds what is live moment after moment. The work depends on what changed, and on all that is live only where that is compared. */
export class LiveSweep {
  readonly #layers: Layers;
  readonly #layer: Int32Array;
  readonly #top: Float64Array;
  #count = 0;
  #next = 0;
  #moment = -1;

  constructor(layers: Layers) {
    this.#layers = layers;
    this.#layer = new Int32Array(layers.start.length);
    this.#top = new Float64Array(layers.start.length);
  }

  /** Valid until the next call. Fast where moments ascend. */
  at(moment: number): Live {
    if (moment < this.#moment) {
      this.#count = 0;
      this.#next = 0;
    }
    const same = moment === this.#moment ? this.#count : this.#advance(moment);
    this.#moment = moment;
    return { count: this.#count, layer: this.#layer, top: this.#top, same };
  }

  /** How many from the bottom stay as they are. */
  #advance(moment: number): number {
    const { start, end, size } = this.#layers;
    const [layers, tops] = [this.#layer, this.#top];
    let same = 0;
    while (same < this.#count && (end[layers[same] ?? 0] ?? 0) > moment) same++;
    let kept = same;
    let bytes = same === 0 ? 0 : (tops[same - 1] ?? 0);
    const keep = (layer: number): void => {
      if ((end[layer] ?? 0) <= moment) return;
      bytes += size[layer] ?? 0;
      layers[kept] = layer;
      tops[kept] = bytes;
      kept++;
    };
    for (let i = same; i < this.#count; i++) keep(layers[i] ?? 0);
    for (; this.#next < start.length && (start[this.#next] ?? 0) <= moment; this.#next++) keep(this.#next);
    this.#count = kept;
    return same;
  }
}

/** The live layer that covers a height in bytes; undefined above all of them. */
export function layerAt({ count, layer, top }: Live, bytes: number): number | undefined {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((top[middle] ?? 0) > bytes) high = middle;
    else low = middle + 1;
  }
  return low < count ? layer[low] : undefined;
}

/** The places of live layers, from the bottom up, in an array of their own. */
export const placesOf = ({ count, layer }: Live): Int32Array => layer.slice(0, count);
