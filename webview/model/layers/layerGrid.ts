/**
 * The layers as a grid of rows: a tree that folds, or a table of each layer alone. Only the rows in view are elements, so
 * that a model of thousands of layers scrolls as a small one does.
 */
import { defined } from "../../../src/profile/defined.ts";
import { printable } from "../../../src/profile/text/text.ts";
import { allBytes } from "../../../src/torch/model/bytes.ts";
import type { LayerBytes, RootAccount } from "../../../src/torch/model/model.ts";
import { type Phrase, phrase, say, t } from "../../../src/words/t.ts";
import { button, element } from "../../dom.ts";
import { kinds, kindText, layerShareText, sumText, unseenKinds } from "./kinds.ts";
import {
  type Arrangement,
  type Children,
  type Column,
  type LayerRow,
  openAtFirst,
  pathTo,
  rowKey,
  rowsOf,
  shortName,
  shortType,
} from "./layers.ts";

/** Of a row in CSS pixels; the style has the same. */
const ROW = 24;
/** Rows beyond the edges that are made all the same, so that scrolling shows no gaps. */
const MARGIN = 6;

interface ColumnHead {
  readonly column: Column;
  readonly title: string;
}

const columnHeads = (): readonly ColumnHead[] => [
  { column: "name", title: t("Layer") },
  ...kinds().map(({ key: column, title }) => ({ column, title })),
  { column: "total", title: t("Total") },
];

const LABELS: Readonly<Record<Arrangement, Phrase>> = {
  tree: phrase("Layers as a tree, each with all that is in it"),
  table: phrase("Layers as a table, each alone, without the layers in it"),
};

export class LayerGrid {
  readonly #grid: HTMLElement;
  readonly #onSelect: (index: number) => void;
  readonly #heads = new Map<Column, HTMLElement>();
  readonly #space = element("div", "", { class: "rows", role: "rowgroup" });
  readonly #scroller = element("div", "", { class: "scroller", tabindex: "-1" });
  #root: RootAccount | undefined;
  #children: Children = new Map();
  #arrangement: Arrangement = "tree";
  #sort: Column | undefined;
  #open = new Set<number>();
  #rows: readonly LayerRow[] = [];
  /** The row's key. */
  #current = "0";

  constructor(holder: HTMLElement, onSelect: (index: number) => void) {
    this.#onSelect = onSelect;
    this.#grid = element("div", "", { class: "grid", role: "treegrid", tabindex: "0", id: "layers" });
    const head = element("div", "", { role: "row", class: "row head" });
    for (const { column, title } of columnHeads()) {
      const cell = element("div", "", { role: "columnheader", class: `cell ${column}` });
      // The arrow keys lead there: the grid is one stop of the Tab key.
      cell.append(button(title, () => this.#sortBy(column), { tabindex: "-1" }));
      this.#heads.set(column, cell);
      head.append(cell);
    }
    head.append(element("div", t("Share"), { role: "columnheader", class: "cell share" }));
    const heads = element("div", "", { role: "rowgroup" });
    heads.append(head);
    this.#scroller.append(heads, this.#space);
    this.#grid.append(this.#scroller);
    this.#scroller.addEventListener("scroll", () => this.#draw());
    new ResizeObserver(() => this.#draw()).observe(this.#scroller);
    this.#grid.addEventListener("keydown", (event) => this.#key(event));
    this.#space.addEventListener("click", (event) => this.#clicked(event));
    holder.replaceChildren(this.#grid);
  }

  show(root: RootAccount, children: Children): void {
    this.#root = root;
    this.#children = children;
    this.#open = openAtFirst(root, children);
    this.#scroller.scrollTop = 0;
    this.#fill();
  }

  arrange(arrangement: Arrangement): void {
    this.#arrangement = arrangement;
    this.#fill();
  }

  /** Marks a layer unless a row of it is marked, opens the way to it and brings it into view; tells nobody. */
  reveal(index: number): void {
    if (this.#root === undefined) return;
    const marked = this.#rows.find((row) => rowKey(row) === this.#current);
    if (marked?.layer.index !== index) this.#current = String(index);
    for (const layer of pathTo(this.#root, index)) this.#open.add(layer.index);
    this.#fill();
    this.#bringIntoView();
  }

  #sortBy(column: Column): void {
    // A second click brings back the order of the model.
    this.#sort = this.#sort === column ? undefined : column;
    this.#scroller.scrollTop = 0;
    this.#fill();
  }

  #fill(): void {
    if (this.#root === undefined) return;
    const sort = this.#sort;
    this.#rows = rowsOf(this.#root, this.#children, {
      arrangement: this.#arrangement,
      open: this.#open,
      ...defined({ sort }),
    });
    this.#grid.setAttribute("role", this.#arrangement === "tree" ? "treegrid" : "grid");
    this.#grid.setAttribute("aria-label", say(LABELS[this.#arrangement]));
    this.#grid.setAttribute("aria-rowcount", String(this.#rows.length + 1));
    for (const [column, cell] of this.#heads)
      cell.setAttribute("aria-sort", column !== sort ? "none" : column === "name" ? "ascending" : "descending");
    this.#space.style.height = `${this.#rows.length * ROW}px`;
    this.#draw();
  }

  #draw(): void {
    const { scrollTop, clientHeight } = this.#scroller;
    const from = Math.max(0, Math.floor(scrollTop / ROW) - MARGIN);
    const to = Math.min(this.#rows.length, Math.ceil((scrollTop + clientHeight) / ROW) + MARGIN);
    this.#space.replaceChildren(...this.#rows.slice(from, to).map((row, i) => this.#rowElement(row, from + i)));
    const active = document.getElementById(rowId(this.#current));
    if (active === null) this.#grid.removeAttribute("aria-activedescendant");
    else this.#grid.setAttribute("aria-activedescendant", active.id);
  }

  #rowElement(row: LayerRow, place: number): HTMLElement {
    const { level, bytes, fold } = row;
    const isTree = this.#arrangement === "tree";
    const made = element("div", "", {
      role: "row",
      class: "row",
      id: rowId(rowKey(row)),
      "data-layer": rowKey(row),
      "aria-rowindex": String(place + 2),
      "aria-selected": String(rowKey(row) === this.#current),
    });
    made.style.top = `${place * ROW}px`;
    if (isTree) {
      made.setAttribute("aria-level", String(level));
      made.setAttribute("aria-posinset", String(row.position));
      made.setAttribute("aria-setsize", String(row.siblings));
      if (fold !== "none") made.setAttribute("aria-expanded", String(fold === "open"));
    }
    made.append(this.#nameCell(row));
    for (const { key } of kinds()) {
      const seen = bytes[key] === undefined ? " unseen-kind" : "";
      made.append(element("div", kindText(bytes[key]), { role: "gridcell", class: `cell figure ${key}${seen}` }));
    }
    const unseen = unseenKinds(bytes);
    const total = element("div", sumText(bytes, "≥"), {
      role: "gridcell",
      class: "cell figure total",
    });
    if (unseen.length > 0) total.title = printable(t("Not seen: {0}.", unseen.join(t(", "))));
    made.append(total, shareCell(bytes, this.#root === undefined ? 0 : allBytes(this.#root.total)));
    return made;
  }

  #nameCell({ layer, part, level, fold }: LayerRow): HTMLElement {
    const isTree = this.#arrangement === "tree";
    const cell = element("div", "", { role: "rowheader", class: "cell name", title: printable(layer.name) });
    if (isTree) {
      // Beyond that the name would have no room left.
      cell.style.paddingLeft = `${4 + (Math.min(level, 12) - 1) * 14}px`;
      cell.append(
        element("span", fold === "none" ? "" : fold === "open" ? "▾" : "▸", { class: "fold", "aria-hidden": "true" }),
      );
    }
    if (part === "itself") {
      cell.title = printable(t("What {0} holds itself, beside the layers in it", layer.name || shortName(layer)));
      cell.append(element("span", printable(t("{0} itself", shortName(layer))), { class: "layer-type" }));
      return cell;
    }
    const name = isTree || layer.parent === undefined ? shortName(layer) : layer.name;
    cell.append(element("span", printable(name), { class: "layer-name" }));
    if (layer.parent !== undefined)
      cell.append(" ", element("span", printable(shortType(layer.type)), { class: "layer-type" }));
    return cell;
  }

  #select(row: LayerRow): void {
    this.#current = rowKey(row);
    this.#draw();
    this.#onSelect(row.layer.index);
  }

  #toggle(index: number, open: boolean): void {
    if (open) this.#open.add(index);
    else this.#open.delete(index);
    this.#fill();
  }

  #clicked(event: MouseEvent): void {
    const target = event.target instanceof Element ? event.target : undefined;
    const at = target?.closest("[data-layer]")?.getAttribute("data-layer");
    if (target === undefined || at === null || at === undefined) return;
    const row = this.#rows.find((each) => rowKey(each) === at);
    if (row === undefined) return;
    if (target.classList.contains("fold") && row.fold !== "none") this.#toggle(row.layer.index, row.fold === "closed");
    else this.#select(row);
  }

  #bringIntoView(): void {
    const place = this.#rows.findIndex((row) => rowKey(row) === this.#current);
    if (place < 0) return;
    const top = place * ROW;
    const { scrollTop, clientHeight } = this.#scroller;
    // The head covers one row of what is seen.
    const room = clientHeight - 2 * ROW;
    if (top < scrollTop) this.#scroller.scrollTop = top;
    else if (top > scrollTop + room) this.#scroller.scrollTop = top - room;
    this.#draw();
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const heading = this.#headingByKey(event);
    if (heading !== undefined) {
      event.preventDefault();
      heading.focus();
    }
    // A heading's button has the other keys to itself.
    if (heading !== undefined || event.target !== this.#grid) return;
    const next = this.#rowByKey(event.key);
    if (next === undefined) return;
    event.preventDefault();
    if (next === "kept") return;
    this.#select(next);
    this.#bringIntoView();
  }

  /** The heading that a key leads to, above the first row and beside the others; back from them the grid itself. */
  #headingByKey({ key, target }: KeyboardEvent): HTMLElement | undefined {
    const headings = [...this.#grid.querySelectorAll("button")].filter((heading) => heading.checkVisibility());
    const place = target instanceof HTMLButtonElement ? headings.indexOf(target) : -1;
    if (place === -1) {
      const [first] = this.#rows;
      const isFirst = first !== undefined && rowKey(first) === this.#current;
      return key === "ArrowUp" && isFirst ? headings[0] : undefined;
    }
    const steps: Readonly<Record<string, HTMLElement | undefined>> = {
      ArrowLeft: headings[place - 1],
      ArrowRight: headings[place + 1],
      ArrowDown: this.#grid,
      Escape: this.#grid,
    };
    return steps[key];
  }

  /** The row that a key leads to; `kept` where it only folds; undefined for other keys and at the ends. */
  #rowByKey(key: string): LayerRow | "kept" | undefined {
    const rows = this.#rows;
    const place = Math.max(
      0,
      rows.findIndex((each) => rowKey(each) === this.#current),
    );
    const row = rows[place];
    if (row === undefined) return undefined;
    const page = Math.max(1, Math.floor(this.#scroller.clientHeight / ROW) - 2);
    switch (key) {
      case "ArrowDown":
        return rows[place + 1];
      case "ArrowUp":
        return rows[place - 1];
      case "PageDown":
        return rows[Math.min(rows.length - 1, place + page)];
      case "PageUp":
        return rows[Math.max(0, place - page)];
      case "Home":
        return rows[0];
      case "End":
        return rows.at(-1);
      case "Enter":
      case " ":
        return row;
      case "ArrowRight":
        if (row.fold === "open") return rows[place + 1];
        return this.#folds(row, true);
      case "ArrowLeft":
        if (row.fold === "open") return this.#folds(row, false);
        return this.#arrangement === "tree" ? rows.find((each) => isAbove(each, row)) : undefined;
      default:
        return undefined;
    }
  }

  #folds(row: LayerRow, open: boolean): "kept" | undefined {
    if (row.fold === "none") return undefined;
    this.#toggle(row.layer.index, open);
    return "kept";
  }
}

const rowId = (key: string): string => `layer-${key}`;

const isAbove = ({ layer, part }: LayerRow, row: LayerRow): boolean =>
  part === "whole" && layer.index === (row.part === "itself" ? row.layer.index : row.layer.parent);

function shareCell(bytes: LayerBytes, whole: number): HTMLElement {
  const sum = allBytes(bytes);
  const cell = element("div", "", { role: "gridcell", class: "cell figure share" });
  const bar = element("span", "", { class: "share-bar", "aria-hidden": "true" });
  bar.style.width = `${whole === 0 ? 0 : Math.min(100, (sum / whole) * 100)}%`;
  cell.append(bar, element("span", layerShareText(bytes, whole)));
  return cell;
}
