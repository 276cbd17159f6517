/** The chart of active memory: its canvas and marks, and what mouse and keys do on them. */
import { panBy, type Viewport, WHOLE, zoomAt } from "../../flame/viewport.ts";
import type { ActiveMemory } from "../decode.ts";
import { type Axis, type AxisKind, axisOf, type Extent, momentsIn, type Span } from "./axis.ts";
import { drawMarks, MARGIN, type Mark } from "./marks.ts";
import { type PlacedPart, ROW_HEIGHT, rowsOf } from "./parts.ts";
import { LayerPicture, type Look, layerColors } from "./picture.ts";
import type { LayerColors } from "./raster.ts";

/** Pixels a pointer may shake while it clicks. */
const CLICK_SLACK = 4;
/** Moments that the whole width shows at least. */
const LEAST_MOMENTS = 4;
const STEP = 0.7;
/** Room above the maximum. */
const HEADROOM = 1.03;

export interface Recorded extends Extent {
  readonly memory: ActiveMemory;
  readonly maximum: number;
}

export interface Recording extends Recorded {
  readonly marks: readonly Mark[];
  readonly parts: readonly PlacedPart[];
  /** Drawn as a line over it, on the same axes. */
  readonly other?: Recorded;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export interface ChartEvents {
  readonly onPick: (moment: number, layer: number | undefined) => void;
  /** A layer undefined is above all, or of those summed up; all undefined when the pointer leaves. */
  readonly onHover: (
    at:
      | { readonly moment: number; readonly layer: number | undefined; readonly x: number; readonly y: number }
      | undefined,
  ) => void;
  /** Another part is seen: its moments, and those of the other recording; all undefined: all of them. */
  readonly onView: (range: Range | undefined, otherRange: Range | undefined) => void;
}

export class ActiveChart {
  readonly #host: HTMLElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #marks: SVGSVGElement;
  readonly #events: ChartEvents;
  #recording: Recording | undefined;
  #picture: LayerPicture | undefined;
  #axis: Axis | undefined;
  #otherAxis: Axis | undefined;
  #colors: LayerColors | undefined;
  #chosen = 0;
  #view: Viewport = WHOLE;
  #frame = 0;
  #drag: { readonly x: number; readonly y: number; readonly view: Viewport; moved: boolean } | undefined;

  constructor(host: HTMLElement, canvas: HTMLCanvasElement, marks: SVGSVGElement, events: ChartEvents) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("This page cannot draw.");
    this.#host = host;
    this.#context = context;
    this.#marks = marks;
    this.#events = events;
    this.#listen();
  }

  /** Shows a recording; the view stays as it is, so that a finer answer takes the place of a coarse one. */
  show(recording: Recording, axis: AxisKind, look: Look): void {
    this.#recording = recording;
    this.#picture = new LayerPicture(recording.memory);
    const { other } = recording;
    const whole = {
      events: Math.max(recording.events, other?.events ?? 0),
      duration: Math.max(recording.duration, other?.duration ?? 0),
    };
    this.#axis = axisOf(axis, recording.memory, recording, whole);
    this.#otherAxis = other && axisOf(axis, other.memory, other, whole);
    this.restyle(look);
  }

  restyle(look: Look): void {
    this.#colors = this.#recording && layerColors(this.#recording.memory, look);
    this.#draw();
  }

  set chosen(moment: number) {
    this.#chosen = moment;
    this.#draw();
  }

  /** Layers that are live at a moment, from the bottom up. */
  live(moment: number): Int32Array {
    return this.#picture?.live(moment) ?? new Int32Array(0);
  }

  /** Shows the part from one moment to another, or all. */
  zoomTo(range: Range | undefined): void {
    const axis = this.#axis;
    this.#view =
      range === undefined || !axis
        ? WHOLE
        : this.#limited({ from: axis.positionOf(range.from), to: axis.positionOf(range.to), top: 0 });
    this.#changedView();
  }

  /** Moves the view where the chosen moment is out of sight. */
  reveal(moment: number): void {
    const position = this.#axis?.positionOf(moment);
    if (position === undefined || (position >= this.#view.from && position <= this.#view.to)) return;
    const half = (this.#view.to - this.#view.from) / 2;
    const from = Math.min(1 - 2 * half, Math.max(0, position - half));
    this.#view = { from, to: from + 2 * half, top: 0 };
    this.#changedView();
  }

  zoomBy(factor: number): void {
    const chosen = this.#axis?.positionOf(this.#chosen) ?? 0;
    const { from, to } = this.#view;
    this.#zoom(chosen >= from && chosen <= to ? chosen : (from + to) / 2, factor);
  }

  get isWhole(): boolean {
    return this.#view.from <= 0 && this.#view.to >= 1;
  }

  #zoom(at: number, factor: number): void {
    this.#view = this.#limited(zoomAt(this.#view, at, factor));
    this.#changedView();
  }

  #limited(view: Viewport): Viewport {
    const least = Math.min(1, LEAST_MOMENTS / Math.max(1, this.#recording?.events ?? 1));
    const span = view.to - view.from;
    return span >= least ? view : zoomAt(view, (view.from + view.to) / 2, least / Math.max(span, Number.MIN_VALUE));
  }

  #changedView(): void {
    this.#draw();
    const { memory, other } = this.#recording ?? {};
    if (!memory || !this.#axis) return;
    if (this.isWhole) this.#events.onView(undefined, undefined);
    else
      this.#events.onView(
        momentsIn(this.#axis, memory, this.#view),
        other && this.#otherAxis && momentsIn(this.#otherAxis, other.memory, this.#view),
      );
  }

  #draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  /** What was asked for is drawn before a place of it is looked up: a click may come before the next frame. */
  #drawNow(): void {
    if (this.#frame === 0) return;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#paint();
  }

  get #plotWidth(): number {
    return Math.max(1, this.#host.clientWidth - MARGIN.left - MARGIN.right);
  }

  get #bottom(): number {
    return MARGIN.bottom + ROW_HEIGHT * rowsOf(this.#recording?.parts ?? []);
  }

  get #plotHeight(): number {
    return Math.max(1, this.#host.clientHeight - MARGIN.top - this.#bottom);
  }

  get #highest(): number {
    const { maximum = 0, other } = this.#recording ?? {};
    return Math.max(1, Math.max(maximum, other?.maximum ?? 0) * HEADROOM);
  }

  #paint(): void {
    const [recording, picture, axis, colors] = [this.#recording, this.#picture, this.#axis, this.#colors];
    if (!recording || !picture || !axis || !colors || this.#host.clientWidth === 0) return;
    const { canvas } = this.#context;
    const [width, height] = [this.#plotWidth, this.#plotHeight];
    const ratio = window.devicePixelRatio;
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
      canvas.width = pixelWidth;
      canvas.height = pixelHeight;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const span: Span = this.#view;
    picture.paint(this.#context, axis, span, this.#highest, colors);
    drawMarks(this.#marks, {
      axis,
      span,
      width: this.#host.clientWidth,
      height: this.#host.clientHeight,
      highest: this.#highest,
      marks: recording.marks,
      parts: recording.parts,
      other: recording.other &&
        this.#otherAxis && { positions: this.#otherAxis.positions, bytes: recording.other.memory.total },
      bottom: this.#bottom,
      chosen: this.#chosen,
    });
    this.#host.setAttribute("aria-busy", "false");
  }

  #at(event: MouseEvent) {
    this.#drawNow();
    const box = this.#host.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const column = Math.floor(((x - MARGIN.left) / this.#plotWidth) * this.#context.canvas.width);
    const bytes = (1 - (y - MARGIN.top) / this.#plotHeight) * this.#highest;
    const found = bytes < 0 ? undefined : this.#picture?.at(column, bytes);
    return found && { ...found, x, y };
  }

  #positionAt(event: MouseEvent): number {
    const x = event.clientX - this.#host.getBoundingClientRect().left - MARGIN.left;
    return this.#view.from + (x / this.#plotWidth) * (this.#view.to - this.#view.from);
  }

  #listen(): void {
    const host = this.#host;
    host.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#drag = { x: event.clientX, y: event.clientY, view: this.#view, moved: false };
      host.setPointerCapture(event.pointerId);
    });
    host.addEventListener("pointermove", (event) => this.#pointerMoved(event));
    host.addEventListener("pointerleave", () => this.#events.onHover(undefined));
    host.addEventListener("click", (event) => {
      const moved = this.#drag?.moved === true;
      this.#drag = undefined;
      const at = moved ? undefined : this.#at(event);
      if (at) this.#events.onPick(at.moment, at.layer);
    });
    host.addEventListener("dblclick", (event) => this.#zoom(this.#positionAt(event), STEP * STEP * STEP));
    host.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    host.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(host);
  }

  #pointerMoved(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag || event.buttons === 0) {
      this.#events.onHover(this.#at(event));
      return;
    }
    const across = event.clientX - drag.x;
    if (Math.hypot(across, event.clientY - drag.y) > CLICK_SLACK) drag.moved = true;
    if (!drag.moved) return;
    this.#events.onHover(undefined);
    this.#view = panBy(drag.view, -across / this.#plotWidth, 0, 0, 0);
    this.#changedView();
  }

  #wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.#zoom(this.#positionAt(event), 1.002 ** event.deltaY);
      return;
    }
    const across = event.shiftKey ? event.deltaX + event.deltaY : event.deltaX;
    if (across === 0 || this.isWhole) return;
    event.preventDefault();
    this.#view = panBy(this.#view, across / this.#plotWidth, 0, 0, 0);
    this.#changedView();
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const factor = { "+": STEP, "=": STEP, "-": 1 / STEP }[event.key];
    if (factor !== undefined) this.zoomBy(factor);
    else if (event.key === "0") this.zoomTo(undefined);
    else return;
    event.preventDefault();
  }
}
