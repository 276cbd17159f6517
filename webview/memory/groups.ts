/** How the pictures tell the groups of the ledger apart. */
import type { LedgerGroup } from "../../src/board/ledger/model.ts";

const STRIPED: ReadonlySet<LedgerGroup> = new Set(["gpu", "others", "kernel", "cache"]);

/** What to fill with over a group's colour, so that it can be told without colour; the page's HTML has the tiles. */
export function stripesOf(group: LedgerGroup): string | undefined {
  return STRIPED.has(group) ? `url(#stripes-${group})` : undefined;
}

const SVG = "http://www.w3.org/2000/svg";

/** A small sample of a group's colour and stripes. */
export function swatch(group: LedgerGroup): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ width: "16", height: "12", class: "swatch", "aria-hidden": "true" }))
    svg.setAttribute(name, value);
  const stripes = stripesOf(group);
  for (const fill of stripes === undefined ? [undefined] : [undefined, stripes]) {
    const rect = document.createElementNS(SVG, "rect");
    rect.setAttribute("width", "16");
    rect.setAttribute("height", "12");
    rect.setAttribute("class", fill === undefined ? `area ${group}` : "striped");
    if (fill !== undefined) rect.setAttribute("fill", fill);
    svg.append(rect);
  }
  return svg;
}
