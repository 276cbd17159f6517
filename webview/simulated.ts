/** The badge beside a page's title where a board is simulated. */
import { printable } from "../src/profile/text/text.ts";
import { t } from "../src/words/t.ts";
import { byId } from "./dom.ts";

export function showSimulated(name: string | undefined): void {
  const badge = byId("simulated", HTMLElement);
  badge.hidden = name === undefined;
  badge.textContent = name === undefined ? "" : t("Simulated: {0}", printable(name));
}
