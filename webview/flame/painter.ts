/** Draws a graph's rectangles on a canvas. Sizes are CSS pixels. */

import { shortenedTo } from "../chartText.ts";
import type { Paint, Palette } from "./palette.ts";
import { fillStyle } from "./patterns.ts";
import { rowCount, visitRow } from "./rows.ts";
import type { StackGraph } from "./stackGraph.ts";
import type { Viewport } from "./viewport.ts";

export const ROW_HEIGHT = 20;
/** Narrower rectangles are drawn joined with their neighbors. */
const LEAST_WIDTH = 0.5;
const TEXT_PADDING = 4;
const PYTHON_BAR = 3;
/** A label of fewer characters says nothing. */
const LEAST_CHARACTERS = 3;
/** What a search did not find. */
const DIMMED = 0.4;

export type Shape = "icicle" | "flame";

export interface Scene {
  readonly graph: StackGraph;
  readonly shape: Shape;
  readonly palette: Palette;
  /** By frame. */
  readonly paints: readonly Paint[];
  readonly label: (frame: number) => string;
  /** By frame, 1 where the search found it; absent without a search. */
  readonly found?: Uint8Array;
  /** Rectangles. */
  readonly selected?: number;
  readonly hovered?: number;
}

export interface Surface {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
}

interface Box {
  readonly rectangle: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** Upper edge of a row. */
export function rowTop(row: number, view: Viewport, shape: Shape, height: number): number {
  return shape === "icicle" ? (row - view.top) * ROW_HEIGHT : height - (row - view.top + 1) * ROW_HEIGHT;
}

/** The row at a height. */
export function rowAt(y: number, view: Viewport, shape: Shape, height: number): number {
  return Math.floor((shape === "icicle" ? y : height - y) / ROW_HEIGHT + view.top);
}

/** Paint of a node: of a change by which way it went, else by its frame. */
function paintAt({ graph, palette, paints }: Scene, node: number): Paint {
  const { tree, sides } = graph;
  if (!sides) return paints[tree.frame[node] ?? 0] ?? palette.other;
  const change = tree.total[node] ?? 0;
  if (change === 0) return palette.unchanged;
  return change > 0 ? palette.grown : palette.shrunk;
}

function collect(
  scene: Scene,
  view: Viewport,
  surface: Surface,
  crumbs: (x: number, y: number, width: number) => void,
) {
  const { graph, shape } = scene;
  const scale = surface.width / (view.to - view.from);
  const size = { least: LEAST_WIDTH / scale, pixel: 1 / scale };
  const boxes = new Map<Paint, Box[]>();
  const last = Math.min(rowCount(graph.layout) - 1, Math.ceil(view.top + surface.height / ROW_HEIGHT));
  for (let row = Math.max(0, Math.floor(view.top)); row <= last; row++) {
    const top = rowTop(row, view, shape, surface.height);
    visitRow(graph.layout, row, view, size, {
      rectangle(rectangle) {
        const left = Math.max(-1, ((graph.layout.x0[rectangle] ?? 0) - view.from) * scale);
        const right = Math.min(surface.width + 1, ((graph.layout.x1[rectangle] ?? 0) - view.from) * scale);
        const paint = paintAt(scene, graph.layout.node[rectangle] ?? 0);
        const list = boxes.get(paint) ?? [];
        if (list.length === 0) boxes.set(paint, list);
        list.push({ rectangle, left, top, width: right - left });
      },
      crumbs(x0, x1) {
        crumbs((x0 - view.from) * scale, top, Math.max(LEAST_WIDTH, (x1 - x0) * scale));
      },
    });
  }
  return boxes;
}

/** A label cut to its box. Editor fonts have one width for all Latin letters. */
function drawLabel(
  context: CanvasRenderingContext2D,
  paint: Paint,
  text: string,
  box: Box,
  indent: number,
  character: number,
): void {
  const left = Math.max(0, box.left) + indent;
  const room = box.left + box.width - left - TEXT_PADDING;
  const fits = Math.floor(room / character);
  if (fits < LEAST_CHARACTERS) return;
  const shown = shortenedTo(text, fits);
  const middle = box.top + ROW_HEIGHT / 2;
  if (paint.pattern !== "plain") {
    // Stripes behind letters make them hard to read.
    context.strokeStyle = paint.fill;
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeText(shown, left, middle, room);
  }
  context.fillStyle = paint.text;
  context.fillText(shown, left, middle, room);
}

function drawBoxes(scene: Scene, surface: Surface, paint: Paint, boxes: readonly Box[], characters: number): void {
  const { context } = surface;
  const { graph, palette, found } = scene;
  const frameOf = ({ rectangle }: Box): number => graph.tree.frame[graph.layout.node[rectangle] ?? 0] ?? 0;
  const dim = (box: Box): boolean => found !== undefined && !palette.highContrast && found[frameOf(box)] === 0;
  const fill = fillStyle(context, paint, surface.pixelRatio);
  for (const box of boxes) {
    context.globalAlpha = dim(box) ? DIMMED : 1;
    context.fillStyle = fill;
    context.fillRect(box.left, box.top, box.width > 2 ? box.width - 1 : box.width, ROW_HEIGHT - 1);
    const python = graph.tree.frames[frameOf(box)]?.kind === "python";
    if (python && box.width > 2 * PYTHON_BAR) {
      context.fillStyle = paint === palette.python ? paint.edge : palette.python.edge;
      context.fillRect(box.left, box.top, PYTHON_BAR, ROW_HEIGHT - 1);
    }
    if (palette.highContrast && box.width > 3) {
      context.strokeStyle = paint.edge;
      context.lineWidth = 1;
      context.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 2, ROW_HEIGHT - 2);
    }
    if (box.width < LEAST_CHARACTERS * characters) continue;
    const indent = TEXT_PADDING + (python ? PYTHON_BAR : 0);
    context.font = python ? `bold ${palette.font}` : palette.font;
    drawLabel(context, paint, scene.label(frameOf(box)), box, indent, characters);
  }
  context.globalAlpha = 1;
}

function outline(
  scene: Scene,
  surface: Surface,
  view: Viewport,
  rectangle: number,
  color: string,
  width: number,
): void {
  const { layout } = scene.graph;
  const scale = surface.width / (view.to - view.from);
  const left = Math.max(-4, ((layout.x0[rectangle] ?? 0) - view.from) * scale);
  const right = Math.min(surface.width + 4, ((layout.x1[rectangle] ?? 0) - view.from) * scale);
  const top = rowTop(layout.depth[rectangle] ?? 0, view, scene.shape, surface.height);
  const { context } = surface;
  context.strokeStyle = color;
  context.lineWidth = width;
  const inset = width / 2;
  context.strokeRect(left + inset, top + inset, Math.max(1, right - left - 1 - width), ROW_HEIGHT - 1 - width);
}

/** Where the visible rows lie among all of them, when they do not fit. */
function drawScrollMark(scene: Scene, view: Viewport, { context, width, height }: Surface): void {
  const rows = rowCount(scene.graph.layout);
  const visible = height / ROW_HEIGHT;
  if (rows <= visible) return;
  const length = Math.max(16, (height * visible) / rows);
  const at = ((height - length) * view.top) / (rows - visible);
  context.globalAlpha = 0.5;
  context.fillStyle = scene.palette.outline;
  context.fillRect(width - 4, scene.shape === "icicle" ? at : height - length - at, 3, length);
  context.globalAlpha = 1;
}

export function paintGraph(scene: Scene, view: Viewport, surface: Surface): void {
  const { context, width, height, pixelRatio } = surface;
  const { palette, found, graph } = scene;
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
  context.fillStyle = palette.background;
  context.fillRect(0, 0, width, height);
  context.textBaseline = "middle";
  context.font = palette.font;
  const characters = context.measureText("0123456789").width / 10;

  context.fillStyle = palette.crumbs;
  const boxes = collect(scene, view, surface, (x, y, wide) => context.fillRect(x, y, wide, ROW_HEIGHT - 1));
  for (const [paint, list] of boxes) drawBoxes(scene, surface, paint, list, characters);
  if (found)
    for (const { rectangle } of [...boxes.values()].flat())
      if (found[graph.tree.frame[graph.layout.node[rectangle] ?? 0] ?? 0])
        outline(scene, surface, view, rectangle, palette.focus, 1.5);
  if (scene.hovered !== undefined) outline(scene, surface, view, scene.hovered, palette.outline, 1);
  if (scene.selected !== undefined) outline(scene, surface, view, scene.selected, palette.outline, 2);
  drawScrollMark(scene, view, surface);
}
