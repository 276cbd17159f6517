/** What a line took in all, in words. */

import type { Figures } from "../model.ts";
import { formatChange } from "../text/format.ts";
import { netOrSelf } from "./totals.ts";

/**
 * `+96.0 MiB`; `≥ +96.0 MiB` of a line that never ended, or has not yet, which took this itself until then. Other tools'
 * figures, which have no hits, are whole.
 */
export function netText(figures: Pick<Figures, "hits" | "net" | "self">): string {
  return `${isLowerBound(figures) ? "≥ " : ""}${formatChange(netOrSelf(figures))}`;
}

/** What is known of the net is what the line took itself. */
export function isLowerBound({ hits, net, self = 0 }: Pick<Figures, "hits" | "net" | "self">): boolean {
  return net === undefined && self > 0 && hits !== undefined;
}
