/** The layer that is chosen: what it is, what it holds and which tensors that is. */
import { formatBytes, formatCount } from "../../src/profile/format.ts";
import { printable, printableLines } from "../../src/profile/text.ts";
import type { Place } from "../../src/protocol/model.ts";
import type { LayerAccount, RootAccount, SavedActivation, TensorEntry } from "../../src/torch/account/model.ts";
import { button, element } from "../dom.ts";
import { KINDS, kindText } from "./kinds.ts";
import { shortName, shortType } from "./layers.ts";
import { plainTable } from "./plainTable.ts";

const PARTS: Readonly<Record<SavedActivation["part"], string>> = {
  layer: "in the layer",
  input: "the model's input, not counted",
  after: "after the model returned, as by a loss",
};

export const shapeText = (shape: readonly number[]): string =>
  shape.length === 0 ? "one number" : shape.map((size) => String(size)).join(" × ");

export function detailsOf(root: RootAccount, layer: LayerAccount, goTo: (place: Place) => void): HTMLElement[] {
  const { at } = root;
  return [
    heading(layer),
    ...(layer.config === "" ? [] : [element("pre", printableLines(layer.config), { class: "wrap" })]),
    ...(at === undefined ? [] : [calledAt(layer, at, goTo)]),
    sums(layer),
    ...tensors("Parameters", layer.parameters),
    ...tensors("Buffers", layer.buffers),
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
    layer.parent === undefined ? "First called at " : "The model it is in was first called at ",
  );
  line.append(button(printable(`${at.path}:${at.line}`), () => goTo(at), { class: "link" }));
  return line;
}

function sums({ own, total, parent }: LayerAccount): HTMLElement {
  const rows = KINDS.map(({ key, title }) => ({ title, alone: own[key], whole: total[key] }));
  const caption = parent === undefined ? "What the model holds" : "What the layer holds";
  return plainTable(
    caption,
    [
      { title: "Kind", cell: ({ title }) => title },
      { title: "Itself", cell: ({ alone }) => kindText(alone), figure: true },
      { title: "With all in it", cell: ({ whole }) => kindText(whole), figure: true },
    ],
    rows,
  );
}

function tensors(title: string, entries: readonly TensorEntry[]): HTMLElement[] {
  if (entries.length === 0) return [];
  const shared = (entry: TensorEntry): string => (entry.bytes === 0 ? "counted elsewhere" : formatBytes(entry.bytes));
  const table = plainTable<TensorEntry>(
    `${title} (${formatCount(entries.length)})`,
    [
      { title: "Name", cell: ({ name }) => printable(name) },
      { title: "Shape", cell: ({ shape }) => shapeText(shape) },
      { title: "Type", cell: ({ dtype }) => printable(dtype) },
      { title: "Bytes", cell: shared, figure: true },
      ...(title === "Parameters"
        ? [{ title: "Trained", cell: ({ trainable }: TensorEntry) => (trainable ? "yes" : "no, frozen") }]
        : []),
    ],
    entries,
  );
  return [table];
}

function activations(saved: readonly SavedActivation[]): HTMLElement[] {
  if (saved.length === 0) return [];
  const table = plainTable<SavedActivation>(
    `Saved activations (${formatCount(saved.length)})`,
    [
      { title: "Shape", cell: ({ shape }) => shapeText(shape) },
      { title: "Type", cell: ({ dtype }) => printable(dtype) },
      { title: "Bytes", cell: ({ bytes }) => (bytes === 0 ? "counted elsewhere" : formatBytes(bytes)), figure: true },
      { title: "Grows with the batch", cell: ({ scales }) => (scales ? "yes" : "no") },
      { title: "Saved", cell: ({ part }) => PARTS[part] },
    ],
    saved,
  );
  return [table];
}
