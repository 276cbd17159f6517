/** The canvas and what mouse and keyboard do on it. It knows one graph at a time; a node is a place in its tree. */

import { type LibraryPlaces, labelsOf, paintsOf } from "./frameLook.ts";
import { moveFrom } from "./keys.ts";
import { paintGraph, ROW_HEIGHT, rowAt, type Scene, type Shape, type Surface } from "./painter.ts";
import { type Palette, paletteOf } from "./palette.ts";
import { rectangleAt, rectanglesByNode, rowCount } from "./rows.ts";
import type { StackGraph } from "./stackGraph.ts";
import { between, clampTop, panBy, type Viewport, WHOLE, zoomAt } from "./viewport.ts";

/** Pixels a pointer may shake while it clicks. */
const CLICK_SLACK = 4;
const ZOOM_MS = 160;
/** Rows above a frame that was zoomed to, so that its callers stay in sight. */
const ROWS_ABOVE = 3;

export interface FlameGraphEvents {
  /** `open`: a single click asks for the frame's line as well. */
  readonly onSelect: (node: number | undefined, open: boolean) => void;
  readonly onHover: (node: number | undefined, at: { readonly x: number; readonly y: number }) => void;
  /** The node that fills the graph's width; the root after a reset. */
  readonly onZoom: (node: number) => void;
  readonly onOpen: (node: number) => void;
  readonly onPainted: (graph: StackGraph) => void;
}

/** By the system's setting, or by VS Code's own. */
const motionIsReduced = (): boolean =>
  matchMedia("(prefers-reduced-motion: reduce)").matches || document.body.classList.contains("vscode-reduce-motion");

export class FlameGraph {
  readonly #host: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #places: LibraryPlaces;
  readonly #events: FlameGraphEvents;
  #palette: Palette;
  #scene: Scene | undefined;
  #rectangleOf: Int32Array = new Int32Array(0);
  #view: Viewport = WHOLE;
  #frame = 0;
  #animation = 0;
  #clickedNode: number | undefined;
  #drag: { readonly x: number; readonly y: number; readonly view: Viewport; moved: boolean } | undefined;

  constructor(host: HTMLElement, canvas: HTMLCanvasElement, places: LibraryPlaces, events: FlameGraphEvents) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("This page cannot draw.");
    this.#host = host;
    this.#canvas = canvas;
    this.#context = context;
    this.#places = places;
    this.#events = events;
    this.#palette = paletteOf(document.body);
    this.#listen();
  }

  get palette(): Palette {
    return this.#palette;
  }

  /** Shows a graph from its root on. */
  show(graph: StackGraph, shape: Shape): void {
    cancelAnimationFrame(this.#animation);
    this.#rectangleOf = rectanglesByNode(graph.layout, graph.tree.frame.length);
    this.#view = WHOLE;
    this.#clickedNode = undefined;
    this.#scene = {
      graph,
      shape,
      palette: this.#palette,
      paints: paintsOf(graph.tree.frames, this.#palette, this.#places),
      label: labelsOf(graph.tree.frames),
    };
    this.#draw();
  }

  set shape(shape: Shape) {
    this.#change({ shape });
  }

  /** By frame, 1 where the search found it; undefined without a search. */
  set found(frames: Uint8Array | undefined) {
    if (!this.#scene) return;
    const { found: _, ...rest } = this.#scene;
    this.#scene = frames ? { ...rest, found: frames } : rest;
    this.#draw();
  }

  /** Reads the theme's colors again, and gives libraries that are new their colors. */
  repaint(): void {
    this.#palette = paletteOf(document.body);
    const frames = this.#scene?.graph.tree.frames ?? [];
    this.#change({
      palette: this.#palette,
      paints: paintsOf(frames, this.#palette, this.#places),
    });
  }

  /** Marks a node and brings its row into view, and its place when it is not seen. */
  select(node: number | undefined): void {
    if (!this.#scene) return;
    const { selected: _, ...rest } = this.#scene;
    const rectangle = this.#rectangle(node);
    this.#scene = rectangle === undefined ? rest : { ...rest, selected: rectangle };
    if (rectangle !== undefined) this.#reveal(rectangle);
    this.#draw();
  }

  /** Lets a node fill the width. */
  zoomTo(node: number, animated = true): void {
    const rectangle = this.#rectangle(node);
    if (!this.#scene || rectangle === undefined) return;
    const { layout } = this.#scene.graph;
    const row = layout.depth[rectangle] ?? 0;
    const target: Viewport = {
      from: layout.x0[rectangle] ?? 0,
      to: layout.x1[rectangle] ?? 1,
      top: clampTop(row - ROWS_ABOVE, rowCount(layout), this.#visibleRows),
    };
    this.#moveTo(target, animated);
    this.#events.onZoom(node);
  }

  /** The canvas as it is, as base64 of a PNG. */
  png(): string {
    return this.#canvas.toDataURL("image/png").replace(/^[^,]*,/, "");
  }

  #rectangle(node: number | undefined): number | undefined {
    const rectangle = node === undefined ? -1 : (this.#rectangleOf[node] ?? -1);
    return rectangle === -1 ? undefined : rectangle;
  }

  #change(parts: Partial<Scene>): void {
    if (this.#scene) this.#scene = { ...this.#scene, ...parts };
    this.#draw();
  }

  get #visibleRows(): number {
    return this.#host.clientHeight / ROW_HEIGHT;
  }

  #moveTo(target: Viewport, animated: boolean): void {
    cancelAnimationFrame(this.#animation);
    if (!animated || motionIsReduced()) {
      this.#view = target;
      this.#draw();
      return;
    }
    const start = this.#view;
    const began = performance.now();
    const step = (now: number): void => {
      const t = Math.min(1, Math.max(0, (now - began) / ZOOM_MS));
      this.#view = between(start, target, t * (2 - t));
      this.#draw();
      if (t < 1) this.#animation = requestAnimationFrame(step);
    };
    this.#animation = requestAnimationFrame(step);
  }

  #reveal(rectangle: number): void {
    if (!this.#scene) return;
    const { layout } = this.#scene.graph;
    const row = layout.depth[rectangle] ?? 0;
    const rows = this.#visibleRows;
    const { from, to, top } = this.#view;
    const nextTop = row < top ? row : row + 1 > top + rows ? row + 1 - rows : top;
    const [x0, x1] = [layout.x0[rectangle] ?? 0, layout.x1[rectangle] ?? 1];
    // A frame that is out of sight or thinner than a pixel is zoomed to.
    const seen = x1 > from && x0 < to && (x1 - x0) / (to - from) > 1 / Math.max(1, this.#host.clientWidth);
    this.#view = { ...this.#view, top: clampTop(nextTop, rowCount(layout), rows) };
    const node = layout.node[rectangle];
    if (!seen && node !== undefined) this.zoomTo(node, false);
  }

  #draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const surface = this.#surface();
      if (!this.#scene || !surface) return;
      const rows = rowCount(this.#scene.graph.layout);
      this.#view = { ...this.#view, top: clampTop(this.#view.top, rows, surface.height / ROW_HEIGHT) };
      paintGraph(this.#scene, this.#view, surface);
      this.#events.onPainted(this.#scene.graph);
    });
  }

  /** The canvas in the screen's own pixels. */
  #surface(): Surface | undefined {
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (width === 0 || height === 0) return undefined;
    const pixelRatio = window.devicePixelRatio;
    const [pixelWidth, pixelHeight] = [Math.round(width * pixelRatio), Math.round(height * pixelRatio)];
    if (this.#canvas.width !== pixelWidth || this.#canvas.height !== pixelHeight) {
      this.#canvas.width = pixelWidth;
      this.#canvas.height = pixelHeight;
      this.#canvas.style.width = `${width}px`;
      this.#canvas.style.height = `${height}px`;
    }
    return { context: this.#context, width, height, pixelRatio };
  }

  /** Fraction of the root's width below a point of the canvas. */
  #fraction(x: number): number {
    return this.#view.from + (x / Math.max(1, this.#host.clientWidth)) * (this.#view.to - this.#view.from);
  }

  #nodeAt(x: number, y: number): number | undefined {
    if (!this.#scene) return undefined;
    const { graph, shape } = this.#scene;
    const row = rowAt(y, this.#view, shape, this.#host.clientHeight);
    const rectangle = rectangleAt(graph.layout, row, this.#fraction(x));
    return rectangle === undefined ? undefined : graph.layout.node[rectangle];
  }

  #hover(node: number | undefined, x: number, y: number): void {
    if (!this.#scene) return;
    const rectangle = this.#rectangle(node);
    if (rectangle !== this.#scene.hovered) {
      const { hovered: _, ...rest } = this.#scene;
      this.#scene = rectangle === undefined ? rest : { ...rest, hovered: rectangle };
      this.#draw();
    }
    this.#events.onHover(node, { x, y });
  }

  #listen(): void {
    const canvas = this.#canvas;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#drag = { x: event.offsetX, y: event.offsetY, view: this.#view, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => this.#pointerMoved(event));
    canvas.addEventListener("pointerleave", () => this.#hover(undefined, 0, 0));
    canvas.addEventListener("click", (event) => this.#clicked(event));
    canvas.addEventListener("dblclick", () => {
      if (this.#clickedNode !== undefined) this.zoomTo(this.#clickedNode);
    });
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#host.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(this.#host);
  }

  #pointerMoved(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag || event.buttons === 0 || !this.#scene) {
      this.#hover(this.#nodeAt(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
      return;
    }
    const [across, down] = [event.offsetX - drag.x, event.offsetY - drag.y];
    if (Math.hypot(across, down) > CLICK_SLACK) drag.moved = true;
    if (!drag.moved) return;
    this.#hover(undefined, 0, 0);
    this.#pan(drag.view, across, down);
  }

  /** By pixels, as the hand moves the picture. */
  #pan(from: Viewport, across: number, down: number): void {
    if (!this.#scene) return;
    cancelAnimationFrame(this.#animation);
    const rows = rowCount(this.#scene.graph.layout);
    const towardsRoot = this.#scene.shape === "icicle" ? -down : down;
    const width = Math.max(1, this.#host.clientWidth);
    this.#view = panBy(from, -across / width, towardsRoot / ROW_HEIGHT, rows, this.#visibleRows);
    this.#draw();
  }

  #clicked(event: MouseEvent): void {
    const moved = this.#drag?.moved === true;
    this.#drag = undefined;
    // The second click of two means what the first one hit: an editor that opens beside the page has moved everything.
    if (moved || event.detail > 1) return;
    const node = this.#nodeAt(event.offsetX, event.offsetY);
    this.#clickedNode = node;
    this.select(node);
    this.#events.onSelect(node, true);
  }

  #wheel(event: WheelEvent): void {
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? ROW_HEIGHT : 1;
    const before = this.#view;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      cancelAnimationFrame(this.#animation);
      this.#view = zoomAt(before, this.#fraction(event.offsetX), 1.002 ** (event.deltaY * pixels));
      this.#draw();
      return;
    }
    const [across, down] = event.shiftKey ? [event.deltaX + event.deltaY, 0] : [event.deltaX, event.deltaY];
    this.#pan(before, -across * pixels, -down * pixels);
    // Where the graph cannot move any further, the page does.
    if (this.#view.from !== before.from || this.#view.top !== before.top) event.preventDefault();
  }

  #key(event: KeyboardEvent): void {
    const scene = this.#scene;
    if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const selected = scene.selected === undefined ? undefined : scene.graph.layout.node[scene.selected];
    const action = moveFrom(event.key, scene.graph, scene.shape, scene.selected);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    switch (action.kind) {
      case "select":
        this.select(action.node);
        this.#events.onSelect(action.node, false);
        return;
      case "zoom":
        this.zoomTo(action.node);
        return;
      case "scale":
        this.#view = zoomAt(this.#view, (this.#view.from + this.#view.to) / 2, action.factor);
        this.#draw();
        return;
      case "open":
        if (selected !== undefined) this.#events.onOpen(selected);
    }
  }
}
