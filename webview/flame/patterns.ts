/** Stripes that tell frames apart without color. */
import type { Paint, Pattern } from "./palette.ts";

const TILE = 8;

/** Strokes of one tile, from edge to edge so that tiles join. */
const STROKES: Readonly<Record<Exclude<Pattern, "plain">, readonly (readonly [number, number, number, number])[]>> = {
  rising: [
    [-1, 1, 1, -1],
    [0, TILE, TILE, 0],
    [TILE - 1, TILE + 1, TILE + 1, TILE - 1],
  ],
  falling: [
    [0, 2, TILE, 2],
    [0, 6, TILE, 6],
  ],
  hatched: [
    [0, TILE, TILE, 0],
    [0, 0, TILE, TILE],
    [-1, 1, 1, -1],
    [TILE - 1, TILE + 1, TILE + 1, TILE - 1],
    [-1, TILE - 1, 1, TILE + 1],
    [TILE - 1, -1, TILE + 1, 1],
  ],
};

/** What to fill with; tiles are made for the screen's pixels, so that stripes stay sharp at any zoom of the window. */
export function fillStyle(context: CanvasRenderingContext2D, paint: Paint, pixelRatio: number): string | CanvasPattern {
  if (paint.pattern === "plain") return paint.fill;
  const side = Math.round(TILE * pixelRatio);
  const tile = document.createElement("canvas");
  tile.width = side;
  tile.height = side;
  const pen = tile.getContext("2d");
  if (!pen) return paint.fill;
  pen.scale(side / TILE, side / TILE);
  pen.fillStyle = paint.fill;
  pen.fillRect(0, 0, TILE, TILE);
  pen.strokeStyle = paint.stroke;
  pen.lineWidth = paint.pattern === "hatched" ? 0.8 : 1.6;
  for (const [x0, y0, x1, y1] of STROKES[paint.pattern]) {
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
  }
  const pattern = context.createPattern(tile, "repeat");
  pattern?.setTransform(new DOMMatrix().scale(1 / pixelRatio));
  return pattern ?? paint.fill;
}
