/** The kinds of bytes that a layer holds, in words. */
import { formatBytes, formatShare, UNKNOWN } from "../../../src/profile/text/format.ts";
import { allBytes, BYTE_KINDS, type ByteKind } from "../../../src/torch/model/bytes.ts";
import type { LayerBytes } from "../../../src/torch/model/model.ts";
import { type Phrase, phrase, say, t } from "../../../src/words/t.ts";

const TITLES: Readonly<Record<ByteKind, Phrase>> = {
  parameters: phrase("Parameters"),
  buffers: phrase("Buffers"),
  gradients: phrase("Gradients"),
  optimizer: phrase("Optimizer"),
  activations: phrase("Activations"),
};

export const kinds = (): readonly { readonly key: ByteKind; readonly title: string }[] =>
  BYTE_KINDS.map((key) => ({ key, title: say(TITLES[key]) }));

/** The kinds that were not seen, so that a sum holds less than there is. */
export function unseenKinds(bytes: LayerBytes): readonly string[] {
  return kinds()
    .filter(({ key }) => bytes[key] === undefined)
    .map(({ title }) => title.toLowerCase());
}

export const kindText = (bytes: number | undefined): string =>
  bytes === undefined ? t("not seen") : formatBytes(bytes);

/** The sum of all kinds: the least there is where some were not seen. */
export function sumText(bytes: LayerBytes, atLeast: string): string {
  const sum = allBytes(bytes);
  if (unseenKinds(bytes).length === 0) return formatBytes(sum);
  return sum === 0 ? t("not seen") : `${atLeast} ${formatBytes(sum)}`;
}

/** A layer's share of what was seen of the model; a dash where nothing was seen of the layer. */
export function layerShareText(bytes: LayerBytes, whole: number): string {
  const sum = allBytes(bytes);
  return sum === 0 && unseenKinds(bytes).length > 0 ? UNKNOWN : shareText(sum, whole);
}

/** `12.3 %`; a dash where there is nothing to have a share of. */
export function shareText(bytes: number, whole: number): string {
  if (whole <= 0) return UNKNOWN;
  return formatShare(bytes / whole);
}
