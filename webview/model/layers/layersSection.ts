/** The layers in three views over the same data, and the chosen one's details beside them. */

import type { ModelView, Place } from "../../../src/protocol/torch/model.ts";
import type { RootAccount } from "../../../src/torch/model/model.ts";
import { type Phrase, phrase, say } from "../../../src/words/t.ts";
import { byId } from "../../dom.ts";
import { detailsOf } from "./details.ts";
import { IcicleView } from "./icicleView.ts";
import { LayerGrid } from "./layerGrid.ts";
import { childrenOf } from "./layers.ts";

const VIEW_WORDS: Readonly<Record<ModelView, Phrase>> = {
  tree: phrase("Each layer with all that is in it. Arrow keys move, and fold and unfold. A heading sorts."),
  table: phrase("Each layer alone, without the layers in it, so that a column adds up to the model. A heading sorts."),
  icicle: phrase("Each layer is as wide as its bytes and lies below the layer that it is in."),
};

export interface LayersEvents {
  readonly goTo: (place: Place) => void;
  /** Another view or layer was chosen. */
  readonly changed: () => void;
}

export class LayersSection {
  readonly #events: LayersEvents;
  readonly #grid: LayerGrid;
  readonly #icicle: IcicleView;
  readonly #details = byId("details", HTMLElement);
  #root: RootAccount | undefined;
  #view: ModelView;
  #layer = 0;
  /** What is shown, to tell whether it is another. */
  #content = "";

  constructor(view: ModelView, events: LayersEvents) {
    this.#events = events;
    this.#view = view;
    const select = (index: number): void => this.#select(index);
    this.#grid = new LayerGrid(byId("grid", HTMLElement), select);
    const text = byId("icicle-text", HTMLElement);
    this.#icicle = new IcicleView(byId("icicle-picture", HTMLElement), byId("icicle-legend", HTMLElement), {
      onSelect: select,
      onShow: (words) => {
        // A screen reader would say again what is only set again.
        if (text.textContent !== words) text.textContent = words;
      },
    });
    for (const input of document.querySelectorAll<HTMLInputElement>('input[name="view"]')) {
      input.checked = input.value === view;
      input.addEventListener("change", () => this.#choose(input.value as ModelView));
    }
    for (const input of document.querySelectorAll<HTMLInputElement>('input[name="color"]'))
      input.addEventListener("change", () => this.#icicle.color(input.value === "type" ? "type" : "kind"));
    this.#showView();
  }

  get view(): ModelView {
    return this.#view;
  }

  get layer(): number {
    return this.#layer;
  }

  /** @param layer the one to choose; the root where the model has none of that number */
  show(root: RootAccount, layer: number): void {
    const content = JSON.stringify(root);
    // The page is told all anew when any run of the workspace changes: what is folded stays as it is.
    if (content === this.#content) return;
    this.#content = content;
    this.#root = root;
    const children = childrenOf(root);
    this.#grid.show(root, children);
    this.#icicle.show(root, children);
    this.#select(root.layers[layer] === undefined ? 0 : layer);
  }

  #choose(view: ModelView): void {
    this.#view = view;
    this.#showView();
    this.#events.changed();
  }

  #showView(): void {
    const isIcicle = this.#view === "icicle";
    byId("grid", HTMLElement).hidden = isIcicle;
    byId("icicle", HTMLElement).hidden = !isIcicle;
    byId("colors", HTMLElement).hidden = !isIcicle;
    byId("view-words", HTMLElement).textContent = say(VIEW_WORDS[this.#view]);
    if (this.#view !== "icicle") this.#grid.arrange(this.#view);
    this.#mark();
  }

  #mark(): void {
    if (this.#root === undefined) return;
    if (this.#view === "icicle") this.#icicle.reveal(this.#layer);
    else this.#grid.reveal(this.#layer);
  }

  #select(index: number): void {
    const layer = this.#root?.layers[index];
    this.#layer = index;
    this.#mark();
    if (this.#root !== undefined && layer !== undefined)
      this.#details.replaceChildren(...detailsOf(this.#root, layer, this.#events.goTo));
    else this.#details.replaceChildren();
    this.#events.changed();
  }
}
