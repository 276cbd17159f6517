/** How the pictures tell the groups of the ledger apart. */
import type { LedgerGroup } from "../../../src/board/ledger/model.ts";
import { svgElement } from "../../dom.ts";

const STRIPED: ReadonlySet<LedgerGroup> = new Set(["gpu", "others", "kernel", "cache"]);

/** What to fill with over a group's color, so that it can be told without color; the page's HTML has the tiles. */
export function stripesOf(group: LedgerGroup): string | undefined {
  return STRIPED.has(group) ? `url(#stripes-${group})` : undefined;
}

/** A small sample of a group's color and stripes. */
export function swatch(group: LedgerGroup): SVGSVGElement {
  const size = { width: 16, height: 12 };
  const svg = svgElement("svg", { ...size, class: "swatch", "aria-hidden": "true" });
  svg.append(svgElement("rect", { ...size, class: `area ${group}` }));
  const fill = stripesOf(group);
  if (fill !== undefined) svg.append(svgElement("rect", { ...size, class: "striped", fill }));
  return svg;
}
