/**
 * Draws stacked layers column by column into pixels. The work depends on the columns and on what is live in them, so
 * that any number of events is drawn exactly: each column shows one moment.
 */
import type { Layers, LiveSweep } from "./layers.ts";

/** Colours as the words of ImageData have them. */
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
  sweep: LiveSweep,
  columns: Columns,
  highest: number,
  colors: LayerColors,
): void {
  const { words, width, height } = raster;
  words.fill(colors.background);
  const scale = height / highest;
  for (let x = 0; x < width; x++) {
    const moment = columns.moment[x] ?? 0;
    // Many columns may show one moment: each is as the one to its left.
    if (x > 0 && moment === columns.moment[x - 1]) copyColumn(raster, x);
    else paintColumn(raster, x, layers, sweep.at(moment), columns.rest[x] ?? 0, scale, colors);
  }
}

function copyColumn({ words, width }: Raster, x: number): void {
  for (let at = x; at < words.length; at += width) words[at] = words[at - 1] ?? 0;
}

function paintColumn(
  raster: Raster,
  x: number,
  { size }: Layers,
  live: Int32Array,
  rest: number,
  scale: number,
  colors: LayerColors,
): void {
  const { words, width, height } = raster;
  let bytes = 0;
  /** Rows from the bottom that are painted. */
  let painted = 0;
  for (const layer of live) {
    bytes += size[layer] ?? 0;
    const top = Math.min(height, Math.round(bytes * scale));
    if (top === painted) continue;
    fillRows(raster, x, painted, top, colors.fill[layer] ?? 0);
    if (top - painted >= LEAST_EDGED) words[(height - top) * width + x] = colors.edge[layer] ?? 0;
    painted = top;
  }
  fillRows(raster, x, painted, Math.min(height, Math.round((bytes + rest) * scale)), colors.rest);
}

/** Rows are counted from the bottom. */
function fillRows({ words, width, height }: Raster, x: number, from: number, to: number, color: number): void {
  for (let at = (height - to) * width + x, end = (height - from) * width; at < end; at += width) words[at] = color;
}
