/** The page "Sweep" without its data, which comes by message only. */
import { t } from "../../words/t.ts";
import { type PageParts, pageHtml } from "../page/pageHtml.ts";

export interface SweepHtmlParts extends PageParts {
  /** The group's id; the page hands it back in its saved state. */
  readonly sweep: string;
}

const body = (): string => `<header>
<div><h1 id="title">${t("Sweep")}</h1><span id="simulated" class="badge" hidden></span></div>
<p id="about" class="about"></p>
</header>
<div id="status" role="status">${t("Reading the runs…")}</div>
<main id="content" hidden>
<section aria-labelledby="limits-title">
<h2 id="limits-title">${t("What fits")}</h2>
<ul id="limits"></ul>
<ul id="notes" class="quiet"></ul>
<div id="missing" class="buttons" hidden><button type="button" id="resume">${t("Make Missing Runs…")}</button><span id="missing-words"></span></div>
</section>
<section aria-labelledby="plot-title">
<div class="bar"><h2 id="plot-title">${t("Peak")}</h2>
<fieldset class="choices" id="figures"><legend>${t("Memory")}</legend></fieldset>
<label id="axis-label" hidden>${t("Along")} <select id="axis"></select></label></div>
<p id="meaning" class="quiet"></p>
<div id="plot"></div>
<ul id="legend" class="legend" aria-label="${t("Lines and signs of the plot")}"></ul>
<p id="room"></p>
</section>
<section aria-labelledby="points-title">
<h2 id="points-title">${t("Points")}</h2>
<div id="points"></div>
</section>
</main>`;

export function sweepHtml(parts: SweepHtmlParts): string {
  return pageHtml(parts, { title: t("Sweep"), data: ["sweep", parts.sweep], body: body() });
}
