/** The layer that is chosen: what it is, what it holds and which tensors that is. */
import { formatBytes, formatCount } from "../../../src/profile/text/format.ts";
import { printable, printableLines } from "../../../src/profile/text/text.ts";
import type { Place } from "../../../src/protocol/torch/model.ts";
import type { LayerAccount, RootAccount, SavedActivation, TensorEntry } from "../../../src/torch/model/model.ts";
import { type Phrase, phrase, say, t } from "../../../src/words/t.ts";
import { button, element } from "../../dom.ts";
import { type PlainColumn, plainTable } from "../plainTable.ts";
import { kinds, kindText } from "./kinds.ts";
import { shortName, shortType } from "./layers.ts";

const PARTS: Readonly<Record<SavedActivation["part"], Phrase>> = {
  layer: phrase("in the layer"),
  input: phrase("the model's input, not counted"),
  after: phrase("after the model returned, as by a loss"),
};

export const shapeText = (shape: readonly number[]): string =>
  shape.length === 0 ? t("one number") : shape.map((size) => String(size)).join(" × ");

export function detailsOf(root: RootAccount, layer: LayerAccount, goTo: (place: Place) => void): HTMLElement[] {
  const { at } = root;
  return [
    heading(layer),
    ...(layer.config === "" ? [] : [element("pre", printableLines(layer.config), { class: "wrap" })]),
    ...(at === undefined ? [] : [calledAt(layer, at, goTo)]),
    sums(layer),
    ...tensors(t("Parameters ({0})", formatCount(layer.parameters.length)), layer.parameters, trained()),
    ...tensors(t("Buffers ({0})", formatCount(layer.buffers.length)), layer.buffers),
    ...activations(layer.activations),
  ];
}

function heading(layer: LayerAccount): HTMLElement {
  const made = element("h3", printable(layer.parent === undefined ? shortName(layer) : layer.name));
  if (layer.parent !== undefined)
    made.append(" ", element("span", printable(shortType(layer.type)), { class: "quiet" }));
  made.title = printable(layer.type);
  return made;
}

function calledAt(layer: LayerAccount, at: Place, goTo: (place: Place) => void): HTMLElement {
  const line = element(
    "p",
    layer.parent === undefined ? t("First called at ") : t("The model it is in was first called at "),
  );
  line.append(button(printable(`${at.path}:${at.line}`), () => goTo(at), { class: "link" }));
  return line;
}

function sums({ own, total, parent }: LayerAccount): HTMLElement {
  const rows = kinds().map(({ key, title }) => ({ title, alone: own[key], whole: total[key] }));
  const caption = parent === undefined ? t("What the model holds") : t("What the layer holds");
  return plainTable(
    caption,
    [
      { title: t("Kind"), cell: ({ title }) => title },
      { title: t("Itself"), cell: ({ alone }) => kindText(alone), figure: true },
      { title: t("With all in it"), cell: ({ whole }) => kindText(whole), figure: true },
    ],
    rows,
  );
}

const trained = (): PlainColumn<TensorEntry> => ({
  title: t("Trained"),
  cell: ({ trainable }) => (trainable ? t("yes") : t("no, frozen")),
});

function tensors(
  caption: string,
  entries: readonly TensorEntry[],
  ...more: readonly PlainColumn<TensorEntry>[]
): HTMLElement[] {
  if (entries.length === 0) return [];
  const shared = (entry: TensorEntry): string =>
    entry.bytes === 0 ? t("counted elsewhere") : formatBytes(entry.bytes);
  const table = plainTable<TensorEntry>(
    caption,
    [
      { title: t("Name"), cell: ({ name }) => printable(name) },
      { title: t("Shape"), cell: ({ shape }) => shapeText(shape) },
      { title: t("Type"), cell: ({ dtype }) => printable(dtype) },
      { title: t("Bytes"), cell: shared, figure: true },
      ...more,
    ],
    entries,
  );
  return [table];
}

function activations(saved: readonly SavedActivation[]): HTMLElement[] {
  if (saved.length === 0) return [];
  const table = plainTable<SavedActivation>(
    t("Saved activations ({0})", formatCount(saved.length)),
    [
      { title: t("Shape"), cell: ({ shape }) => shapeText(shape) },
      { title: t("Type"), cell: ({ dtype }) => printable(dtype) },
      {
        title: t("Bytes"),
        cell: ({ bytes }) => (bytes === 0 ? t("counted elsewhere") : formatBytes(bytes)),
        figure: true,
      },
      { title: t("Grows with the batch"), cell: ({ scales }) => (scales ? t("yes") : t("no")) },
      { title: t("Saved"), cell: ({ part }) => say(PARTS[part]) },
    ],
    saved,
  );
  return [table];
}
