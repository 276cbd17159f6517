/** The badge beside a page's title where a board is simulated. */
import { printable } from "../src/profile/text.ts";
import { byId } from "./dom.ts";

export function showSimulated(name: string | undefined): void {
  const badge = byId("simulated", HTMLElement);
  badge.hidden = name === undefined;
  badge.textContent = name === undefined ? "" : `Simulated: ${printable(name)}`;
}
