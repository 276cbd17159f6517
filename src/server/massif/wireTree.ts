import type { CallTree, Sampled } from "../../massif/model.ts";
import type { LabelFacts } from "../../massif/tree/frameTree.ts";
import type { WireTree } from "../../protocol/massif/massif.ts";
import { base64 } from "../base64.ts";

/**
 * A tree in the form in which it crosses to the page.
 * @param sampled of the nodes' bytes
 */
export function wireTree(
  { labels, label, parent, bytes }: CallTree,
  { python, library }: LabelFacts,
  sampled?: Sampled,
): WireTree {
  return {
    labels,
    label: base64(label),
    parent: base64(parent),
    bytes: base64(bytes),
    ...(sampled && { sampled: { variance: base64(sampled.variance), mean: sampled.mean } }),
    python: [...python].map(([index, { path, line, function: name, kind }]) => {
      return { label: index, place: { path, line }, function: name, kind };
    }),
    library: [...library].map(([index, path]) => ({ label: index, path })),
  };
}
