/** Where the layers lie in the icicle: as wide as their bytes, each below the layer that it is in; no drawing. */
import { allBytes, BYTE_KINDS, type ByteKind } from "../../../src/torch/model/bytes.ts";
import type { LayerAccount, RootAccount } from "../../../src/torch/model/model.ts";
import { type Children, pathTo } from "./layers.ts";

export interface IcicleBox {
  readonly layer: LayerAccount;
  /** 0 for the root, whatever is zoomed to. */
  readonly depth: number;
  /** Edges as shares of the width. */
  readonly from: number;
  readonly to: number;
}

/** Deeper than this nothing is drawn: no real model nests so far, and a hostile file may. */
const MOST_DEPTH = 64;

/**
 * The layers that can be seen: the one that is zoomed to and those above it over the whole width, and below it those that
 * are at least `least` wide. What a layer holds itself is the part of it with nothing below.
 */
export function icicleOf(root: RootAccount, children: Children, zoomed: number, least: number): readonly IcicleBox[] {
  const top = root.layers[zoomed];
  if (top === undefined) return [];
  const above = pathTo(root, zoomed);
  const boxes: IcicleBox[] = above.map((layer, depth) => ({ layer, depth, from: 0, to: 1 }));
  const whole = allBytes(top.total);
  const waiting: IcicleBox[] = [{ layer: top, depth: above.length, from: 0, to: 1 }];
  for (let box = waiting.pop(); box !== undefined; box = waiting.pop()) {
    boxes.push(box);
    if (whole === 0 || box.depth >= MOST_DEPTH) continue;
    let { from } = box;
    for (const layer of children.get(box.layer.index) ?? []) {
      // Never wider than the layer that it is in, though the file may say so.
      const to = Math.min(box.to, from + allBytes(layer.total) / whole);
      if (to - from >= least) waiting.push({ layer, depth: box.depth + 1, from, to });
      from = to;
    }
  }
  return boxes.sort((a, b) => a.depth - b.depth || a.from - b.from);
}

export interface Segment {
  readonly kind: ByteKind;
  /** Shares of the layer's own width. */
  readonly from: number;
  readonly to: number;
}

/** What a layer's bytes are, side by side in the order of the legend. */
export function segmentsOf({ total }: LayerAccount): readonly Segment[] {
  const whole = allBytes(total);
  const segments: Segment[] = [];
  let from = 0;
  for (const kind of BYTE_KINDS) {
    const share = whole === 0 ? 0 : (total[kind] ?? 0) / whole;
    if (share === 0) continue;
    segments.push({ kind, from, to: from + share });
    from += share;
  }
  return segments;
}

/** The box that an arrow key leads to; undefined where it leads nowhere. */
export function boxByKey(key: string, boxes: readonly IcicleBox[], current: number): IcicleBox | undefined {
  const at = boxes.find(({ layer }) => layer.index === current);
  if (at === undefined) return /^Arrow|^Home$|^End$/.test(key) ? boxes[0] : undefined;
  const row = boxes.filter(({ depth }) => depth === at.depth);
  const place = row.indexOf(at);
  switch (key) {
    case "ArrowLeft":
      return row[place - 1];
    case "ArrowRight":
      return row[place + 1];
    case "ArrowUp":
      return boxes.find(({ layer }) => layer.index === at.layer.parent);
    case "ArrowDown":
      return boxes.find(({ layer }) => layer.parent === current);
    case "Home":
      return row[0];
    case "End":
      return row.at(-1);
    default:
      return undefined;
  }
}

/** Layer types that have a color of their own, those that hold most themselves first. */
export function heaviestTypes({ layers }: RootAccount, most: number): readonly string[] {
  const bytes = new Map<string, number>();
  for (const { type, own } of layers) bytes.set(type, (bytes.get(type) ?? 0) + allBytes(own));
  return [...bytes]
    .filter(([, held]) => held > 0)
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([type]) => type);
}
