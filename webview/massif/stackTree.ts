/** The graph as a tree of texts: the same frames for screen readers and for people who would rather read. */
import { childrenOf, stackOf } from "../../src/massif/tree/treeShape.ts";
import { t } from "../../src/words/t.ts";
import { element } from "../dom.ts";
import { frameAt, mainFigure } from "../flame/figures.ts";
import { label } from "../flame/frameLook.ts";
import type { Graph } from "./analysis/jobs.ts";

export interface StackTreeEvents {
  readonly onSelect: (node: number) => void;
  readonly onZoom: (node: number) => void;
  readonly onOpen: (node: number) => void;
}

/** Children made at once; the last item stands for the others. */
const PAGE = 100;
/** A child further back is not looked for: so many items would slow the page down. */
const REVEALED = 1_000;

export class StackTree {
  readonly #holder: HTMLElement;
  readonly #events: StackTreeEvents;
  readonly #items = new Map<number, HTMLElement>();
  #graph: Graph | undefined;
  #tree = element("ul");
  #current: HTMLElement | undefined;

  constructor(holder: HTMLElement, events: StackTreeEvents) {
    this.#holder = holder;
    this.#events = events;
  }

  show(graph: Graph): void {
    this.#graph = graph;
    this.#items.clear();
    this.#current = undefined;
    this.#tree = element("ul", "", { role: "tree", "aria-label": t("Call stacks") });
    this.#tree.addEventListener("keydown", (event) => this.#key(event));
    this.#tree.addEventListener("click", (event) => this.#clicked(event));
    const root = this.#item(0, 1, 1, 1);
    this.#tree.append(root);
    this.#holder.replaceChildren(this.#tree);
    this.#makeCurrent(root);
    this.#expand(root);
  }

  /** Opens the way to a node and marks it. */
  reveal(node: number): void {
    const graph = this.#graph;
    if (!graph) return;
    const path = [0, ...stackOf(graph.tree, node)];
    for (const [i, step] of path.entries()) {
      const parent = this.#items.get(path[i - 1] ?? 0);
      if (i === 0 || !parent) continue;
      this.#expand(parent);
      if (this.#children(parent).indexOf(step) >= REVEALED) return;
      while (!this.#items.has(step)) this.#more(parent);
    }
    const item = this.#items.get(node);
    if (!item) return;
    this.#makeCurrent(item);
    this.#select(item);
    item.scrollIntoView({ block: "nearest" });
  }

  #node(item: Element): number {
    return Number(item.getAttribute("data-node"));
  }

  #item(node: number, level: number, position: number, size: number): HTMLElement {
    const graph = this.#graph;
    const item = element("li", "", {
      role: "treeitem",
      tabindex: "-1",
      "data-node": String(node),
      "aria-level": String(level),
      "aria-posinset": String(position),
      "aria-setsize": String(size),
      "aria-selected": "false",
    });
    if (!graph) return item;
    const frame = frameAt(graph, node);
    const line = element("span", "", { class: `line ${frame.kind}` });
    const name = frame.kind === "all" ? t("All memory") : label(frame);
    line.append(
      element("span", name, { class: "name", title: name }),
      element("span", mainFigure(graph, node), { class: "figure" }),
    );
    item.append(line);
    if ((graph.ends[node] ?? 0) > node + 1) item.setAttribute("aria-expanded", "false");
    // Its children would be read as part of its name.
    item.setAttribute("aria-label", t("{0}, {1}", name, mainFigure(graph, node)));
    this.#items.set(node, item);
    return item;
  }

  #children(item: Element): number[] {
    const graph = this.#graph;
    return graph ? childrenOf(graph.ends, this.#node(item)) : [];
  }

  #expand(item: HTMLElement): void {
    if (item.getAttribute("aria-expanded") !== "false") return;
    item.setAttribute("aria-expanded", "true");
    if (item.querySelector(":scope > ul")) return;
    item.append(element("ul", "", { role: "group" }));
    this.#more(item);
  }

  /** Makes the next children of an item, and one to ask for those after them. */
  #more(item: HTMLElement): void {
    const list = item.querySelector(":scope > ul");
    if (!list) return;
    list.querySelector(":scope > .more")?.remove();
    const children = this.#children(item);
    const made = list.childElementCount;
    const level = Number(item.getAttribute("aria-level")) + 1;
    for (const [i, node] of children.slice(made, made + PAGE).entries())
      list.append(this.#item(node, level, made + i + 1, children.length));
    const left = children.length - list.childElementCount;
    if (left > 0)
      list.append(
        element("li", t("{0} more…", left), {
          role: "treeitem",
          tabindex: "-1",
          class: "more",
          "aria-level": String(level),
          "aria-selected": "false",
        }),
      );
  }

  #collapse(item: HTMLElement): void {
    if (item.getAttribute("aria-expanded") === "true") item.setAttribute("aria-expanded", "false");
  }

  #makeCurrent(item: HTMLElement): void {
    this.#current?.setAttribute("tabindex", "-1");
    item.setAttribute("tabindex", "0");
    this.#current = item;
  }

  #select(item: HTMLElement): void {
    this.#tree.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    item.setAttribute("aria-selected", "true");
  }

  #pick(item: HTMLElement): void {
    const parent = item.parentElement?.closest("li");
    if (item.classList.contains("more") && parent) {
      const place = item.parentElement?.childElementCount ?? 1;
      this.#more(parent);
      const next = parent.querySelector(":scope > ul")?.children[place - 1];
      if (next instanceof HTMLElement) this.#focus(next);
      return;
    }
    this.#makeCurrent(item);
    this.#select(item);
    this.#events.onSelect(this.#node(item));
  }

  #clicked(event: MouseEvent): void {
    const item = event.target instanceof Element ? event.target.closest("li") : undefined;
    if (!item) return;
    const arrow = event.target instanceof Element && event.offsetX < 16 && event.target.classList.contains("line");
    if (arrow && item.getAttribute("aria-expanded") === "true") this.#collapse(item);
    else this.#expand(item);
    this.#pick(item);
    if (event.detail === 2) this.#events.onZoom(this.#node(item));
  }

  #focus(item: HTMLElement): void {
    this.#makeCurrent(item);
    item.focus();
  }

  /** Items that are not inside a closed one, in their order. */
  #visible(): HTMLElement[] {
    return [...this.#tree.querySelectorAll("li")].filter(
      (item) => !item.parentElement?.closest('[aria-expanded="false"]'),
    );
  }

  #key(event: KeyboardEvent): void {
    const item = this.#current;
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (by: number): HTMLElement | undefined => {
      const items = this.#visible();
      return items[items.indexOf(item) + by];
    };
    const open = item.getAttribute("aria-expanded") === "true";
    const focus = (next: Element | null | undefined): void => {
      if (next instanceof HTMLElement) this.#focus(next);
    };
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focus(step(1)),
      ArrowUp: () => focus(step(-1)),
      ArrowRight: () => (open ? focus(item.querySelector(":scope > ul > li")) : this.#expand(item)),
      ArrowLeft: () => (open ? this.#collapse(item) : focus(item.parentElement?.closest("li"))),
      Home: () => focus(this.#visible()[0]),
      End: () => focus(this.#visible().at(-1)),
      " ": () => this.#pick(item),
      Enter: () => {
        this.#pick(item);
        if (!item.classList.contains("more")) this.#events.onZoom(this.#node(item));
      },
      o: () => this.#events.onOpen(this.#node(item)),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
