/** The icicle: layers as wide as their bytes. All colors are CSS classes, so a change of theme needs no redraw. */
import { formatBytes } from "../../../src/profile/text/format.ts";
import { printable } from "../../../src/profile/text/text.ts";
import { allBytes } from "../../../src/torch/model/bytes.ts";
import type { RootAccount } from "../../../src/torch/model/model.ts";
import { t } from "../../../src/words/t.ts";
import { shortened, textWidth } from "../../chartText.ts";
import { element, svgElement } from "../../dom.ts";
import { boxByKey, heaviestTypes, type IcicleBox, icicleOf, segmentsOf } from "./icicle.ts";
import { kinds, shareText } from "./kinds.ts";
import { type Children, shortName, shortType } from "./layers.ts";

export type Coloring = "kind" | "type";

const LEVEL = 28;
const MIN_WIDTH = 240;
/** Narrower, a box is not drawn; the tree and the table have it. */
const LEAST = 1;
/** Narrower text says nothing; three letters. */
const LEAST_TEXT = 21;
const PADDING = 5;
/** As many types as have a color in the style. */
const TYPE_COLORS = 6;

export class IcicleView {
  readonly #holder: HTMLElement;
  readonly #legend: HTMLElement;
  readonly #onSelect: (index: number) => void;
  readonly #onShow: (text: string) => void;
  #root: RootAccount | undefined;
  #children: Children = new Map();
  #coloring: Coloring = "kind";
  #types: readonly string[] = [];
  #boxes: readonly IcicleBox[] = [];
  #zoomed = 0;
  #current = 0;

  constructor(
    holder: HTMLElement,
    legend: HTMLElement,
    { onSelect, onShow }: { onSelect: (index: number) => void; onShow: (text: string) => void },
  ) {
    this.#holder = holder;
    this.#legend = legend;
    this.#onSelect = onSelect;
    this.#onShow = onShow;
    new ResizeObserver(() => this.#draw()).observe(holder);
    holder.addEventListener("keydown", (event) => this.#key(event));
    holder.addEventListener("click", (event) => {
      const index = indexOf(event);
      if (index !== undefined) this.#select(index);
    });
    holder.addEventListener("dblclick", (event) => {
      const index = indexOf(event);
      if (index !== undefined) this.#zoom(index);
    });
    holder.addEventListener("pointermove", (event) => this.#tell(indexOf(event) ?? this.#current));
    holder.addEventListener("pointerleave", () => this.#tell(this.#current));
  }

  show(root: RootAccount, children: Children): void {
    this.#root = root;
    this.#children = children;
    this.#zoomed = 0;
    this.#types = heaviestTypes(root, TYPE_COLORS);
    this.#draw();
  }

  color(coloring: Coloring): void {
    this.#coloring = coloring;
    this.#draw();
  }

  /** Marks a layer; tells nobody. */
  reveal(index: number): void {
    this.#current = index;
    this.#draw();
  }

  #select(index: number): void {
    this.reveal(index);
    this.#onSelect(index);
  }

  #zoom(index: number): void {
    this.#zoomed = index;
    this.#draw();
  }

  #tell(index: number): void {
    const layer = this.#root?.layers[index];
    if (layer === undefined || this.#root === undefined) return;
    const bytes = allBytes(layer.total);
    const name = layer.parent === undefined ? shortName(layer) : `${layer.name} ${shortType(layer.type)}`;
    this.#onShow(printable(`${name} · ${formatBytes(bytes)} · ${shareText(bytes, allBytes(this.#root.total))}`));
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") this.#zoom(this.#current);
    else if (event.key === "Escape" || event.key === "Backspace") this.#zoom(0);
    else {
      const next = boxByKey(event.key, this.#boxes, this.#current);
      if (next === undefined) return;
      this.#select(next.layer.index);
    }
    event.preventDefault();
  }

  #draw(): void {
    const root = this.#root;
    if (root === undefined || this.#holder.clientWidth === 0) return;
    const width = Math.max(MIN_WIDTH, this.#holder.clientWidth);
    this.#boxes = icicleOf(root, this.#children, this.#zoomed, LEAST / width);
    const height = LEVEL * (1 + Math.max(0, ...this.#boxes.map(({ depth }) => depth)));
    const picture = svgElement("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    for (const box of this.#boxes) picture.append(this.#box(box, width));
    this.#holder.replaceChildren(picture);
    this.#legend.replaceChildren(...this.#legendItems());
    this.#tell(this.#current);
  }

  #box({ layer, depth, from, to }: IcicleBox, width: number): SVGGElement {
    const [x, y, wide] = [from * width, depth * LEVEL, (to - from) * width];
    const group = svgElement("g", { "data-layer": layer.index });
    const rect = (css: string, left: number, size: number): SVGRectElement =>
      svgElement("rect", { class: css, x: left, y, width: size, height: LEVEL });
    if (this.#coloring === "kind")
      for (const { kind, from: start, to: end } of segmentsOf(layer))
        group.append(rect(`area ${kind}`, x + start * wide, (end - start) * wide));
    else group.append(rect(`area ${this.#typeClass(layer.type)}`, x, wide));
    group.append(rect(layer.index === this.#current ? "edge current" : "edge", x, wide));
    const room = wide - 2 * PADDING;
    if (room >= LEAST_TEXT) group.append(boxText(labelOf(layer, room), { x, y, width: wide }));
    return group;
  }

  #typeClass(type: string): string {
    const place = this.#types.indexOf(type);
    return place < 0 ? "other" : `type-${place}`;
  }

  #legendItems(): HTMLElement[] {
    if (this.#coloring === "kind") return kinds().map(({ key, title }) => legendItem(key, title));
    const named = this.#types.map((type, i) => legendItem(`type-${i}`, printable(shortType(type))));
    return [...named, legendItem("other", t("Other types"))];
  }
}

function labelOf(layer: RootAccount["layers"][number], room: number): string {
  const name = printable(shortName(layer));
  const long = `${name} ${layer.parent === undefined ? "" : `${printable(shortType(layer.type))} `}${formatBytes(allBytes(layer.total))}`;
  return textWidth(long) <= room ? long : shortened(name, room);
}

function boxText(text: string, { x, y, width }: { x: number; y: number; width: number }): SVGSVGElement {
  // Without its own drawing area a long name would run over its neighbors.
  const clip = svgElement("svg", { x, y, width, height: LEVEL });
  const label = svgElement("text", { x: PADDING, y: LEVEL / 2, dy: "0.35em" });
  label.textContent = printable(text);
  clip.append(label);
  return clip;
}

function legendItem(css: string, text: string): HTMLElement {
  const item = element("li");
  const swatch = svgElement("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" });
  swatch.append(
    svgElement("rect", { class: `area ${css}`, width: 10, height: 10 }),
    svgElement("rect", { class: "edge", width: 10, height: 10 }),
  );
  item.append(swatch, text);
  return item;
}

function indexOf(event: Event): number | undefined {
  const at = event.target instanceof Element ? event.target.closest("[data-layer]")?.getAttribute("data-layer") : null;
  return at === null || at === undefined ? undefined : Number(at);
}
