/** The worker that tries an expression on names; ended where it takes too long. */
import { type Expression, matchNames } from "../../../src/massif/tree/search.ts";

/** Names are kept until others come. */
export type ToMatcher = { readonly kind: "names"; readonly names: readonly string[] } | Expression;

/** A worker's global scope, of which the browser's types know only a window's. */
declare const self: {
  onmessage: ((event: MessageEvent<ToMatcher>) => void) | null;
  postMessage(found: Uint8Array): void;
};

let names: readonly string[] = [];

self.onmessage = ({ data }) => {
  if (data.kind === "names") names = data.names;
  else self.postMessage(matchNames(data, names));
};
