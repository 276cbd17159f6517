/** The page of Check Board without its data, which comes by message only. */
import { t } from "../../../words/t.ts";
import { type PageParts, pageHtml } from "../../page/pageHtml.ts";

export function doctorHtml(parts: PageParts): string {
  return pageHtml(parts, {
    title: t("Check Board"),
    body: `<header>
<div><h1 id="title">${t("Check Board")}</h1><span id="simulated" class="badge" hidden></span></div>
<div><p id="about" class="about"></p><button id="again" title="${t("The board is being checked.")}" disabled>${t("Check Again")}</button></div>
</header>
<div id="status" role="status">${t("Waiting for the board's answer…")}</div>
<section aria-label="${t("Summary")}"><ul id="summary"></ul></section>
<main id="topics"></main>`,
  });
}
