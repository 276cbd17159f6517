/** The page of a run's end without its data, which comes by message only. */
import { t } from "../../../words/t.ts";
import { type PageParts, pageHtml } from "../../page/pageHtml.ts";

export interface EndingHtmlParts extends PageParts {
  /** The run folder; the page hands it back in its saved state. */
  readonly folder: string;
}

export function endingHtml(parts: EndingHtmlParts): string {
  return pageHtml(parts, {
    title: t("Why It Ended"),
    data: ["folder", parts.folder],
    body: `<header>
<div><h1 id="title">${t("Why It Ended")}</h1><span id="simulated" class="badge" hidden></span></div>
<div><p id="about" class="about"></p><button id="open-memory" hidden>${t("Show Board Memory")}</button></div>
</header>
<div id="status" role="status">${t("Reading the run…")}</div>
<div id="content" hidden>
<main id="ending" aria-label="${t("What happened")}"></main>
<section id="advice" aria-labelledby="advice-title"><h2 id="advice-title">${t("What could help")}</h2><div id="cards"></div></section>
</div>`,
  });
}
