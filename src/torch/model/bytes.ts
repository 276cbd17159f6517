/** Sums and shares of what layers hold. */
import type { LayerAccount, LayerBytes, RootAccount } from "./model.ts";

/** The kinds of memory that a model's training takes, in the order in which they are shown. */
export const BYTE_KINDS = ["parameters", "buffers", "gradients", "optimizer", "activations"] as const;
export type ByteKind = (typeof BYTE_KINDS)[number];

/** Of all kinds that were seen. */
export function allBytes(bytes: LayerBytes): number {
  return BYTE_KINDS.reduce((sum, kind) => sum + (bytes[kind] ?? 0), 0);
}

export function addBytes(a: LayerBytes, b: LayerBytes): LayerBytes {
  const sum: { -readonly [K in ByteKind]?: number } = {};
  for (const kind of BYTE_KINDS) {
    if (a[kind] !== undefined || b[kind] !== undefined) sum[kind] = (a[kind] ?? 0) + (b[kind] ?? 0);
  }
  return { ...sum, parameters: sum.parameters ?? 0, buffers: sum.buffers ?? 0 };
}

/** Of the whole root: 0 to 1; 0 where the root holds nothing. */
export function shareOf(bytes: LayerBytes, root: RootAccount): number {
  const whole = allBytes(root.total);
  return whole === 0 ? 0 : allBytes(bytes) / whole;
}

/** The layers right below each layer, heaviest first, by the place of their parent. */
export function childrenOf(root: RootAccount): ReadonlyMap<number, readonly LayerAccount[]> {
  const children = new Map<number, LayerAccount[]>();
  for (const layer of root.layers) {
    if (layer.parent === undefined) continue;
    const siblings = children.get(layer.parent);
    if (siblings === undefined) children.set(layer.parent, [layer]);
    else siblings.push(layer);
  }
  for (const siblings of children.values()) {
    siblings.sort((a, b) => allBytes(b.total) - allBytes(a.total) || a.index - b.index);
  }
  return children;
}

/** The place of the root whose training is accounted: the one with the most parameters, as loss functions are roots too. */
export function mainRoot(roots: readonly RootAccount[]): number | undefined {
  let best: number | undefined;
  for (const [place, root] of roots.entries()) {
    const known = best === undefined ? undefined : roots[best];
    if (known === undefined || root.total.parameters > known.total.parameters) best = place;
  }
  return best;
}
