/** The map of segments: a row for each, its blocks to scale. It scrolls; only the rows in sight are drawn. */
import { cssColor, type Rgb, readableOn } from "../../flame/color.ts";
import { type Colors, shadesOf } from "../colors.ts";
import type { AllocatorState } from "../decode.ts";
import type { LineColors } from "../lines.ts";
import { segmentName } from "../words.ts";
import type { Part, SegmentRow } from "./segments.ts";

const ROW = 22;
const BAR = { top: 3, height: 15 };
const NAME_SHARE = 0.36;
/** A segment is at least so wide, or small ones beside large ones could not be seen. */
const LEAST_BAR = 16;
const PADDING = 6;

export interface MapLook {
  readonly colors: Colors;
  readonly lines: LineColors;
  /** An allocation. */
  readonly selected: number | undefined;
}

/** A part of a row, both by their places. */
export interface Spot {
  readonly row: number;
  readonly part: number;
}

export interface MapEvents {
  readonly onPick: (spot: Spot) => void;
}

export class SegmentMap {
  readonly #host: HTMLElement;
  readonly #space: HTMLElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #events: MapEvents;
  #state: AllocatorState | undefined;
  #rows: readonly SegmentRow[] = [];
  #look: MapLook | undefined;
  #spot: Spot | undefined;
  #largest = 1;
  #widestName = 0;
  #frame = 0;
  #isAwaited = true;

  constructor(host: HTMLElement, space: HTMLElement, canvas: HTMLCanvasElement, events: MapEvents) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("This page cannot draw.");
    this.#host = host;
    this.#space = space;
    this.#context = context;
    this.#events = events;
    this.#listen();
  }

  /** Until the next one is shown, or until nothing is awaited any more, it is busy, however often it is painted. */
  set isAwaited(awaited: boolean) {
    this.#isAwaited = awaited;
    this.#host.setAttribute("aria-busy", String(awaited));
  }

  show(state: AllocatorState, rows: readonly SegmentRow[], look: MapLook): void {
    this.#isAwaited = false;
    this.#state = state;
    this.#rows = rows;
    this.#largest = state.segments.reduce((most, { size }) => Math.max(most, size), 1);
    this.#context.font = look.colors.font;
    const names = [...new Set(state.segments.map(segmentName))];
    this.#widestName =
      names.reduce((most, name) => Math.max(most, this.#context.measureText(name).width), 0) + 2 * PADDING;
    this.#space.style.height = `${rows.length * ROW}px`;
    this.#spot = undefined;
    this.restyle(look);
  }

  restyle(look: MapLook): void {
    this.#look = look;
    this.#draw();
  }

  /** Marks the block of an allocation and brings its row into view. */
  reveal(allocation: number): void {
    const spot = this.#spotOf(allocation);
    if (spot !== undefined) this.#moveTo(spot);
  }

  at({ row, part }: Spot): { readonly row: SegmentRow; readonly part: Part } | undefined {
    const found = this.#rows[row];
    const inRow = found?.parts[part];
    return found && inRow && { row: found, part: inRow };
  }

  #spotOf(allocation: number): Spot | undefined {
    const all = this.#state?.blocks.allocation;
    const block = all?.indexOf(allocation) ?? -1;
    if (block === -1) return undefined;
    const segment = this.#state?.blocks.segment[block];
    const row = this.#rows.findIndex((each) => each.segment === segment);
    const part = this.#rows[row]?.parts.findIndex((each) => each.block === block) ?? -1;
    return part === -1 ? undefined : { row, part };
  }

  #moveTo(spot: Spot): void {
    this.#spot = spot;
    const top = spot.row * ROW;
    const { scrollTop, clientHeight } = this.#host;
    if (top < scrollTop) this.#host.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.#host.scrollTop = top + ROW - clientHeight;
    this.#draw();
  }

  get #nameWidth(): number {
    return Math.min(this.#widestName, this.#host.clientWidth * NAME_SHARE);
  }

  /** Pixels from the left of the bar for all of a segment. */
  #barWidth(size: number): number {
    const room = Math.max(LEAST_BAR, this.#host.clientWidth - this.#nameWidth - PADDING);
    return Math.max(LEAST_BAR, (room * size) / this.#largest);
  }

  #draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint(): void {
    const [state, look] = [this.#state, this.#look];
    const { clientWidth: width, clientHeight: height, scrollTop } = this.#host;
    if (!state || !look || width === 0 || height === 0) return;
    const context = this.#context;
    const { canvas } = context;
    const ratio = window.devicePixelRatio;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    // It takes no room of its own: the rows' space gives the height that one scrolls through.
    canvas.style.marginBottom = `-${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = cssColor(look.colors.background);
    context.fillRect(0, 0, width, height);
    context.font = look.colors.font;
    context.textBaseline = "middle";
    const last = Math.min(this.#rows.length - 1, Math.floor((scrollTop + height) / ROW));
    for (let row = Math.max(0, Math.floor(scrollTop / ROW)); row <= last; row++)
      this.#paintRow(state, look, row, row * ROW - scrollTop);
    this.#host.setAttribute("aria-busy", String(this.#isAwaited));
  }

  #paintRow(state: AllocatorState, look: MapLook, row: number, top: number): void {
    const shown = this.#rows[row];
    const segment = state.segments[shown?.segment ?? -1];
    if (!shown || !segment) return;
    const context = this.#context;
    const { colors } = look;
    const name = this.#nameWidth;
    context.fillStyle = cssColor(colors.foreground);
    context.fillText(segmentName(segment), 2, top + ROW / 2, name - PADDING);
    const scale = this.#barWidth(segment.size) / Math.max(1, segment.size);
    shown.parts.forEach((part, place) => {
      const left = name + part.offset * scale;
      const width = part.size * scale;
      const isSelected = part.block !== undefined && state.blocks.allocation[part.block] === look.selected;
      context.fillStyle = cssColor(isSelected ? colors.foreground : this.#colorOf(state, look, part));
      context.fillRect(left, top + BAR.top, width > 2 ? width - 1 : width, BAR.height);
      if (part.kind === "waiting" && width > 3) this.#stripe(left, top, width, colors);
      if (this.#spot?.row === row && this.#spot.part === place) {
        context.strokeStyle = cssColor(colors.focus);
        context.lineWidth = 2;
        context.strokeRect(left, top + BAR.top - 1, Math.max(2, width - 1), BAR.height + 2);
      }
    });
    context.strokeStyle = cssColor(colors.other[0]);
    context.lineWidth = 1;
    context.strokeRect(name - 0.5, top + BAR.top - 0.5, this.#barWidth(segment.size) + 1, BAR.height + 1);
  }

  /** Diagonals that tell it apart without color. */
  #stripe(left: number, top: number, width: number, colors: Colors): void {
    const context = this.#context;
    context.save();
    context.beginPath();
    context.rect(left, top + BAR.top, width - 1, BAR.height);
    context.clip();
    context.strokeStyle = cssColor(readableOn(colors.waiting, colors.foreground));
    context.lineWidth = 1;
    context.beginPath();
    for (let x = left - BAR.height; x < left + width; x += 5) {
      context.moveTo(x, top + BAR.top + BAR.height);
      context.lineTo(x + BAR.height, top + BAR.top);
    }
    context.stroke();
    context.restore();
  }

  #colorOf({ blocks, stacks }: AllocatorState, { colors, lines }: MapLook, { kind, block }: Part): Rgb {
    if (kind === "free" || block === undefined) return colors.free;
    if (kind === "waiting") return colors.waiting;
    return shadesOf(colors, lines.of(stacks.get(blocks.stack[block] ?? -1)))[block % 2 === 0 ? 0 : 1];
  }

  #under(event: MouseEvent): Spot | undefined {
    const box = this.#host.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top + this.#host.scrollTop) / ROW);
    const shown = this.#rows[row];
    const segment = this.#state?.segments[shown?.segment ?? -1];
    if (!shown || !segment) return undefined;
    const at = ((event.clientX - box.left - this.#nameWidth) * segment.size) / this.#barWidth(segment.size);
    const part = shown.parts.findIndex(({ offset, size }) => at >= offset && at < offset + size);
    return part === -1 ? undefined : { row, part };
  }

  #pick(spot: Spot): void {
    this.#moveTo(spot);
    this.#events.onPick(spot);
  }

  #listen(): void {
    const host = this.#host;
    host.addEventListener("scroll", () => this.#draw());
    host.addEventListener("click", (event) => {
      const spot = this.#under(event);
      if (spot) this.#pick(spot);
    });
    host.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const next = this.#byKey(event.key);
      if (next === undefined) return;
      event.preventDefault();
      this.#pick(next);
    });
    new ResizeObserver(() => this.#draw()).observe(host);
  }

  #byKey(key: string): Spot | undefined {
    const steps: Readonly<Record<string, readonly [row: number, part: number]>> = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
      PageDown: [10, 0],
      PageUp: [-10, 0],
    };
    if (key === "Home") return this.#rows.length > 0 ? { row: 0, part: 0 } : undefined;
    const step = steps[key];
    if (!step) return undefined;
    if (!this.#spot) return this.#rows.length > 0 ? { row: 0, part: 0 } : undefined;
    const row = Math.min(this.#rows.length - 1, Math.max(0, this.#spot.row + step[0]));
    const parts = this.#rows[row]?.parts.length ?? 0;
    return { row, part: Math.min(parts - 1, Math.max(0, this.#spot.part + step[1])) };
  }
}
