/** The layers of a model as rows of a tree or of a table, sorted and folded; no drawing. */
import { allBytes, type ByteKind } from "../../../src/torch/model/bytes.ts";
import type { LayerAccount, LayerBytes, RootAccount } from "../../../src/torch/model/model.ts";

export type Column = "name" | ByteKind | "total";
export type Arrangement = "tree" | "table";

/** Children by their parent, in the order of the model. */
export type Children = ReadonlyMap<number, readonly LayerAccount[]>;

export interface LayerRow {
  readonly layer: LayerAccount;
  /** `itself`: in a tree, what a layer holds beside the layers in it, so that the rows below it add up to it. */
  readonly part: "whole" | "itself";
  /** 1 for the root, as in `aria-level`; always 1 in a table. */
  readonly level: number;
  /** Place among its siblings, from 1, and how many they are. */
  readonly position: number;
  readonly siblings: number;
  readonly fold: "none" | "closed" | "open";
  /** In a tree with all below it, in a table of the layer alone, so that a column adds up. */
  readonly bytes: LayerBytes;
}

export interface RowChoice {
  readonly arrangement: Arrangement;
  /** Absent: in the order of the model. */
  readonly sort?: Column;
  readonly open: ReadonlySet<number>;
}

export function childrenOf({ layers }: RootAccount): Children {
  const children = new Map<number, LayerAccount[]>();
  for (const layer of layers) {
    if (layer.parent === undefined) continue;
    const list = children.get(layer.parent);
    if (list === undefined) children.set(layer.parent, [layer]);
    else list.push(layer);
  }
  return children;
}

export function rowsOf(root: RootAccount, children: Children, { arrangement, sort, open }: RowChoice): LayerRow[] {
  if (arrangement === "table") {
    const layers = root.layers.map((layer): LayerPart => ({ layer, part: "itself" }));
    const sorted = sort === undefined ? layers : sortBy(layers, sort, bytesOf);
    return sorted.map(({ layer }, i) => {
      const position = i + 1;
      return { layer, part: "whole", level: 1, position, siblings: sorted.length, fold: "none", bytes: layer.own };
    });
  }
  const rows: LayerRow[] = [];
  const [top] = root.layers;
  // A list of what is still to come, not a recursion: a hostile file may nest as deep as it likes.
  const waiting: Omit<LayerRow, "fold" | "bytes">[] =
    top === undefined ? [] : [{ layer: top, part: "whole", level: 1, position: 1, siblings: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { layer, part, level } = next;
    if (part === "itself") {
      rows.push({ ...next, fold: "none", bytes: layer.own });
      continue;
    }
    const below = partsOf(layer, children);
    const isOpen = open.has(layer.index);
    rows.push({ ...next, fold: below.length === 0 ? "none" : isOpen ? "open" : "closed", bytes: layer.total });
    if (!isOpen) continue;
    const sorted = sort === undefined ? below : sortBy(below, sort, bytesOf);
    const siblings = sorted.length;
    for (const [i, child] of [...sorted.entries()].reverse())
      waiting.push({ ...child, level: level + 1, position: i + 1, siblings });
  }
  return rows;
}

type LayerPart = Pick<LayerRow, "layer" | "part">;

/** What is in a layer: first itself, where it holds anything beside the layers in it. */
function partsOf(layer: LayerAccount, children: Children): LayerPart[] {
  const below = (children.get(layer.index) ?? []).map((child): LayerPart => ({ layer: child, part: "whole" }));
  return below.length === 0 || allBytes(layer.own) === 0 ? below : [{ layer, part: "itself" }, ...below];
}

const bytesOf = ({ layer, part }: LayerPart): LayerBytes => (part === "whole" ? layer.total : layer.own);

/** Stands for a row among all: a layer's number, `7-itself` where the row is of the layer itself. */
export const rowKey = ({ layer, part }: LayerPart): string =>
  part === "whole" ? String(layer.index) : `${layer.index}-itself`;

/** Figures largest first, what was not seen last; names by the alphabet. */
function sortBy(parts: readonly LayerPart[], column: Column, of: (part: LayerPart) => LayerBytes): LayerPart[] {
  if (column === "name") return [...parts].sort((a, b) => compareNames(a.layer.name, b.layer.name));
  const size = (part: LayerPart): number => {
    const bytes = of(part);
    return column === "total" ? allBytes(bytes) : (bytes[column] ?? -1);
  };
  return [...parts].sort((a, b) => size(b) - size(a));
}

/** `features.2` before `features.10`. */
const NAMES = new Intl.Collator("en", { numeric: true });
const compareNames = (a: string, b: string): number => NAMES.compare(a, b);

/** The layers above one, from the root down, without itself. */
export function pathTo({ layers }: RootAccount, index: number): readonly LayerAccount[] {
  const path: LayerAccount[] = [];
  const seen = new Set<number>();
  for (let parent = layers[index]?.parent; parent !== undefined && !seen.has(parent); ) {
    seen.add(parent);
    const layer = layers[parent];
    if (layer === undefined) break;
    path.unshift(layer);
    parent = layer.parent;
  }
  return path;
}

/** What is open at first: all of a small model, else the way down while there is but one child, and what is below that. */
export function openAtFirst(root: RootAccount, children: Children): Set<number> {
  if (root.layers.length <= 60) return new Set(root.layers.map(({ index }) => index));
  const open = new Set<number>([0]);
  for (let below = children.get(0); below?.length === 1; ) {
    const [only] = below;
    if (only === undefined || open.has(only.index)) break;
    open.add(only.index);
    below = children.get(only.index);
  }
  return open;
}

/** `Conv2d` of `torch.nn.modules.conv.Conv2d`. */
export const shortType = (type: string): string => type.split(".").at(-1) || type;

/** What a layer is called below its parent: `0` of `features.0`. */
export function shortName(layer: LayerAccount): string {
  return layer.parent === undefined ? shortType(layer.type) : (layer.name.split(".").at(-1) ?? layer.name);
}
