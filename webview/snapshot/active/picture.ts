/** The pixels of the chart: the layers of one recording, as the view and the colors are. */

import { mix, type Rgb } from "../../flame/color.ts";
import type { Colors } from "../colors.ts";
import { pixelOf, shadesOf } from "../colors.ts";
import type { ActiveMemory, StackName } from "../decode.ts";
import type { LineColors } from "../lines.ts";
import { type Axis, columnsOf, type Span } from "./axis.ts";
import { LiveSweep, layerAt, placesOf } from "./layers.ts";
import { type Columns, type LayerColors, paintLayers } from "./raster.ts";

export interface Look {
  readonly colors: Colors;
  readonly lines: LineColors;
  /** The allocation that stands out. */
  readonly selected: number | undefined;
  /** Whether a stack is what is searched for; all of them without a search. */
  readonly found: (name: StackName | undefined) => boolean;
}

/** Share of its color that is left to what a search did not find. */
const DIMMED = 0.2;
const EDGE = 0.55;

/** Colors of all layers; worked out once for each change of the look. */
export function layerColors({ layers, stacks }: ActiveMemory, look: Look): LayerColors {
  const { colors, lines, selected, found } = look;
  const fill = new Uint32Array(layers.size.length);
  const edge = new Uint32Array(layers.size.length);
  const dim = (color: Rgb): Rgb => mix(color, colors.background, DIMMED);
  const made = new Map<number, readonly number[]>();
  const shades = (stack: number): readonly number[] => {
    const known = made.get(stack);
    if (known) return known;
    const name = stacks.get(stack);
    const [first, second] = shadesOf(colors, lines.of(name));
    const isFound = found(name);
    const seen = (color: Rgb): Rgb => (isFound ? color : dim(color));
    const words = [first, second, mix(first, colors.background, EDGE)].map((color) => pixelOf(seen(color)));
    made.set(stack, words);
    return words;
  };
  const chosen = pixelOf(colors.foreground);
  for (let layer = 0; layer < fill.length; layer++) {
    const isChosen = layers.allocation[layer] === selected;
    const [even = 0, odd = 0, line = 0] = shades(layers.stack[layer] ?? -1);
    fill[layer] = isChosen ? chosen : layer % 2 === 0 ? even : odd;
    edge[layer] = isChosen ? chosen : line;
  }
  return { fill, edge, rest: pixelOf(colors.rest), background: pixelOf(colors.background) };
}

export class LayerPicture {
  readonly #memory: ActiveMemory;
  readonly #sweep: LiveSweep;
  #image: ImageData | undefined;
  #columns: Columns = { moment: new Uint32Array(0), rest: new Float64Array(0) };
  /** The first column after the recording's end. */
  #end = 0;

  constructor(memory: ActiveMemory) {
    this.#memory = memory;
    this.#sweep = new LiveSweep(memory.layers);
  }

  /** @param highest bytes at the upper edge of the canvas, which is in the screen's own pixels */
  paint(context: CanvasRenderingContext2D, axis: Axis, span: Span, highest: number, colors: LayerColors): void {
    const { width, height } = context.canvas;
    if (this.#image?.width !== width || this.#image.height !== height)
      this.#image = context.createImageData(width, height);
    this.#columns = columnsOf(axis, this.#memory, span, width);
    const words = new Uint32Array(this.#image.data.buffer);
    paintLayers({ words, width, height }, this.#memory.layers, this.#columns, highest, colors);
    const end = Math.ceil(((axis.end - span.from) / (span.to - span.from)) * width);
    this.#end = Math.min(width, Math.max(0, end));
    for (let row = 0; this.#end < width && row < height; row++)
      words.fill(colors.background, row * width + this.#end, (row + 1) * width);
    context.putImageData(this.#image, 0, 0);
  }

  /** The moment that a column shows, and the layer in it at a height; as painted last. */
  at(column: number, bytes: number): { readonly moment: number; readonly layer: number | undefined } | undefined {
    const moment = this.#columns.moment[column];
    if (moment === undefined || column >= this.#end) return undefined;
    return { moment, layer: layerAt(this.#sweep.at(moment), bytes) };
  }

  /** What is live at a moment, from the bottom up. */
  live(moment: number): Int32Array {
    return placesOf(this.#sweep.at(moment));
  }
}
