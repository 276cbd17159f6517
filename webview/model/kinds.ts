/** The kinds of bytes that a layer holds, in words. */
import { formatBytes } from "../../src/profile/format.ts";
import { allBytes, BYTE_KINDS, type ByteKind } from "../../src/torch/account/bytes.ts";
import type { LayerBytes } from "../../src/torch/account/model.ts";

const TITLES: Readonly<Record<ByteKind, string>> = {
  parameters: "Parameters",
  buffers: "Buffers",
  gradients: "Gradients",
  optimizer: "Optimizer",
  activations: "Activations",
};

export const KINDS = BYTE_KINDS.map((key) => ({ key, title: TITLES[key] }));

/** The kinds that were not seen, so that a sum holds less than there is. */
export function unseenKinds(bytes: LayerBytes): readonly string[] {
  return KINDS.filter(({ key }) => bytes[key] === undefined).map(({ title }) => title.toLowerCase());
}

export const kindText = (bytes: number | undefined): string => (bytes === undefined ? "not seen" : formatBytes(bytes));

/** The sum of all kinds: the least there is where some were not seen. */
export function sumText(bytes: LayerBytes, atLeast: string): string {
  const sum = allBytes(bytes);
  if (unseenKinds(bytes).length === 0) return formatBytes(sum);
  return sum === 0 ? "not seen" : `${atLeast} ${formatBytes(sum)}`;
}

/** A layer's share of what was seen of the model; a dash where nothing was seen of the layer. */
export function layerShareText(bytes: LayerBytes, whole: number): string {
  const sum = allBytes(bytes);
  return sum === 0 && unseenKinds(bytes).length > 0 ? "–" : shareText(sum, whole);
}

/** `12.3 %`; a dash where there is nothing to have a share of. */
export function shareText(bytes: number, whole: number): string {
  if (whole <= 0) return "–";
  const share = (bytes / whole) * 100;
  return share > 0 && share < 0.05 ? "< 0.1 %" : `${share.toFixed(1)} %`;
}
