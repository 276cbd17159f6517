/**
 * Draws stacked layers column by column into pixels. The work depends on the columns and on what changes between them,
 * so that any number of events is drawn exactly: each column shows one moment.
 */
import type { Layers, Live } from "./layers.ts";
import { LiveSweep } from "./layers.ts";

/** Colors as the words of ImageData have them. */
export interface LayerColors {
  readonly fill: Uint32Array;
  /** Of the line between a layer and the one above it. */
  readonly edge: Uint32Array;
  /** Of the allocations that are too small to be layers of their own. */
  readonly rest: number;
  readonly background: number;
}

/** Pixels. */
export interface Raster {
  readonly words: Uint32Array;
  readonly width: number;
  readonly height: number;
}

/** What is drawn: for each column its moment, ascending, and the bytes that lie above the layers. */
export interface Columns {
  readonly moment: Uint32Array;
  readonly rest: Float64Array;
}

/** Layers lower than this many pixels have no line above them: it would hide them. */
const LEAST_EDGED = 4;

/** @param highest bytes at the upper edge */
export function paintLayers(
  raster: Raster,
  layers: Layers,
  columns: Columns,
  highest: number,
  colors: LayerColors,
): void {
  raster.words.fill(colors.background);
  const sweep = new LiveSweep(layers);
  const scale = raster.height / highest;
  for (let x = 0; x < raster.width; x++)
    paintColumn(raster, x, sweep.at(columns.moment[x] ?? 0), columns.rest[x] ?? 0, scale, colors);
}

function paintColumn(raster: Raster, x: number, live: Live, rest: number, scale: number, colors: LayerColors): void {
  const { words, width, height } = raster;
  const { count, layer, top, same } = live;
  const rowOf = (bytes: number): number => Math.min(height, Math.round(bytes * scale));
  // What lies below the first change is as in the column to the left.
  const unchanged = x === 0 || same === 0 ? 0 : same;
  /** Rows from the bottom that are painted. */
  let painted = unchanged === 0 ? 0 : rowOf(top[unchanged - 1] ?? 0);
  for (let at = (height - painted) * width + x; at < words.length; at += width) words[at] = words[at - 1] ?? 0;
  for (let i = unchanged; i < count; i++) {
    const row = rowOf(top[i] ?? 0);
    if (row === painted) continue;
    const place = layer[i] ?? 0;
    fillRows(raster, x, painted, row, colors.fill[place] ?? 0);
    if (row - painted >= LEAST_EDGED) words[(height - row) * width + x] = colors.edge[place] ?? 0;
    painted = row;
  }
  const bytes = count === 0 ? 0 : (top[count - 1] ?? 0);
  fillRows(raster, x, painted, rowOf(bytes + rest), colors.rest);
}

/** Rows are counted from the bottom. */
function fillRows({ words, width, height }: Raster, x: number, from: number, to: number, color: number): void {
  for (let at = (height - to) * width + x, end = (height - from) * width; at < end; at += width) words[at] = color;
}
